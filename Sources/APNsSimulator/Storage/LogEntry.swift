// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// A notification that arrived, in 40 bytes.
struct LogEntry: Sendable, BitwiseCopyable {
    /// The place in no list.
    static let none = UInt32.max

    let apnsHigh: UInt64
    let apnsLow: UInt64
    /// Seconds since 1970.
    let acceptedAt: Double
    /// How long it was on its way.
    ///
    /// Unit: milliseconds.
    let delay: UInt32
    /// The content's index; the highest bit says whether the request named the identity.
    private let packedContent: UInt32
    /// The device; negative where the notification is not kept any more.
    var device: Int32
    /// The place of the device's next one.
    var next: UInt32 = LogEntry.none

    init(_ record: NotificationRecord, content: ContentIndex, device: DeviceIndex, receivedAt: Double) {
        self.init(
            apnsID: record.apnsID,
            namesID: record.namesID,
            content: content,
            device: device,
            acceptedAt: record.acceptedAt,
            receivedAt: receivedAt
        )
    }

    init(
        apnsID: APNsID,
        namesID: Bool,
        content: ContentIndex,
        device: DeviceIndex,
        acceptedAt: Double,
        receivedAt: Double
    ) {
        self.apnsHigh = apnsID.high
        self.apnsLow = apnsID.low
        self.acceptedAt = acceptedAt
        self.delay = UInt32(min(max(0, (receivedAt - acceptedAt) * 1000), Double(UInt32.max - 1)).rounded())
        self.packedContent = content.rawValue | (namesID ? 1 << 31 : 0)
        self.device = device.rawValue
    }

    var apnsID: APNsID { APNsID(high: self.apnsHigh, low: self.apnsLow) }
    var namesID: Bool { self.packedContent >> 31 == 1 }
    var content: ContentIndex { ContentIndex(rawValue: self.packedContent & 0x7FFF_FFFF) }
    /// Seconds since 1970.
    var receivedAt: Double { self.acceptedAt + Double(self.delay) / 1000 }
    var isKept: Bool { self.device >= 0 }
    /// Whether its time is one, after it came from a document.
    var isSound: Bool { Moment.range.contains(self.acceptedAt) }
}
