// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The stored notifications, in the order of their arrival; those of one device form a linked list.
///
/// The numbers per device and in total and the memory of the contents are limited; the oldest notifications are removed
/// first.
struct NotificationLog: Sendable {
    /// How many are kept for one device.
    var deviceLimit: Int
    /// How many are kept in all.
    var limit: Int
    /// How much memory contents may take.
    ///
    /// Unit: bytes.
    var contentLimit: Int

    /// The number of gaps, in addition to the number of stored entries, at which the gaps are removed.
    private static let maximumGaps = 65_536

    private var entries = ChunkedArray<NotificationLogEntry>()
    /// The place of the oldest entry that may be kept.
    private var head = 0
    private(set) var count = 0

    init(deviceLimit: Int, limit: Int, contentLimit: Int = .max) {
        self.deviceLimit = max(1, deviceLimit)
        self.limit = max(1, limit)
        self.contentLimit = max(1, contentLimit)
    }

    /// How many places there are, kept or not.
    var capacity: Int { self.entries.count - self.head }

    /// The stored notifications, oldest first.
    var kept: [NotificationLogEntry] { (self.head..<self.entries.count).map { self.entries[$0] }.filter(\.isKept) }

    /// Adds a notification to the end of its device's.
    mutating func append(_ entry: NotificationLogEntry, devices: inout DeviceTable, contents: inout ContentTable) {
        let device = DeviceIndex(rawValue: entry.device)
        if Int(devices[device].kept) >= self.deviceLimit { self.dropOldest(of: device, &devices, &contents) }
        while self.count >= self.limit || contents.size > self.contentLimit && self.count > 0 {
            self.dropOldest(&devices, &contents)
        }
        if self.capacity > 2 * self.count + Self.maximumGaps || self.entries.count >= Int(NotificationLogEntry.none) - 1
        {
            self.compact(&devices)
        }
        let place = UInt32(self.entries.count)
        self.entries.append(entry)
        self.count += 1
        let last = devices[device].last
        if last == NotificationLogEntry.none {
            devices[device].first = place
        } else {
            self.entries[Int(last)].next = place
        }
        devices[device].last = place
        devices[device].kept += 1
    }

    /// The stored notifications of a device, oldest first.
    func entries(of row: DeviceRow) -> [NotificationLogEntry] {
        var entries: [NotificationLogEntry] = []
        entries.reserveCapacity(Int(row.kept))
        var place = row.first
        while place != NotificationLogEntry.none {
            let entry = self.entries[Int(place)]
            entries.append(entry)
            place = entry.next
        }
        return entries
    }

    mutating func removeAll(of device: DeviceIndex, devices: inout DeviceTable, contents: inout ContentTable) {
        while devices[device].first != NotificationLogEntry.none { self.dropOldest(of: device, &devices, &contents) }
    }

    private mutating func dropOldest(_ devices: inout DeviceTable, _ contents: inout ContentTable) {
        while self.head < self.entries.count, !self.entries[self.head].isKept { self.head += 1 }
        guard self.head < self.entries.count else { return }
        // The oldest of all is the oldest of its device.
        self.dropOldest(of: DeviceIndex(rawValue: self.entries[self.head].device), &devices, &contents)
        self.head += 1
        self.entries.release(before: self.head)
    }

    private mutating func dropOldest(
        of device: DeviceIndex,
        _ devices: inout DeviceTable,
        _ contents: inout ContentTable
    ) {
        let place = Int(devices[device].first)
        let next = self.entries[place].next
        contents.release(self.entries[place].content)
        self.entries[place].device = -1
        devices[device].first = next
        if next == NotificationLogEntry.none { devices[device].last = NotificationLogEntry.none }
        devices[device].kept -= 1
        if devices[device].dropped < .max { devices[device].dropped += 1 }
        self.count -= 1
    }

    /// Removes the gaps of removed entries.
    private mutating func compact(_ devices: inout DeviceTable) {
        let (old, start) = (self.entries, self.head)
        self.entries = ChunkedArray()
        self.head = 0
        for place in start..<old.count {
            var entry = old[place]
            guard entry.isKept else { continue }
            let device = DeviceIndex(rawValue: entry.device)
            let new = UInt32(self.entries.count)
            entry.next = NotificationLogEntry.none
            self.entries.append(entry)
            if devices[device].first == UInt32(place) {
                devices[device].first = new
            } else {
                self.entries[Int(devices[device].last)].next = new
            }
            devices[device].last = new
        }
    }
}

extension NotificationLog: Codable {
    private enum CodingKeys: String, CodingKey {
        case deviceLimit, limit, contentLimit, entries
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            deviceLimit: try container.decode(Int.self, forKey: .deviceLimit),
            limit: try container.decode(Int.self, forKey: .limit),
            contentLimit: try container.decode(Int.self, forKey: .contentLimit)
        )
        self.entries = try container.decode(ChunkedArray<NotificationLogEntry>.self, forKey: .entries)
        self.count = self.entries.count
    }

    /// Encodes the stored notifications; the indexes change, so ``rechain(_:)`` has to rebuild the lists.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.deviceLimit, forKey: .deviceLimit)
        try container.encode(self.limit, forKey: .limit)
        try container.encode(self.contentLimit, forKey: .contentLimit)
        try container.encode(PackedElements(elements: self.kept), forKey: .entries)
    }

    /// Chains the entries of each device, after they were read from a document.
    ///
    /// - Throws: ``SnapshotError`` for an entry whose device does not exist, or whose time is none.
    mutating func rechain(_ devices: inout DeviceTable) throws(SnapshotError) {
        for index in 0..<devices.count {
            let device = DeviceIndex(rawValue: Int32(index))
            devices[device].first = NotificationLogEntry.none
            devices[device].last = NotificationLogEntry.none
            devices[device].kept = 0
        }
        for place in 0..<self.entries.count {
            let entry = self.entries[place]
            guard entry.isKept, entry.isSound, Int(entry.device) < devices.count else {
                throw SnapshotError(path: "world.log.entries[\(place)]", rule: "a known device and a time")
            }
            let device = DeviceIndex(rawValue: entry.device)
            let last = devices[device].last
            self.entries[place].next = NotificationLogEntry.none
            if last == NotificationLogEntry.none {
                devices[device].first = UInt32(place)
            } else {
                self.entries[Int(last)].next = UInt32(place)
            }
            devices[device].last = UInt32(place)
            devices[device].kept += 1
        }
    }
}

/// A notification that arrived, in 40 bytes.
struct NotificationLogEntry: Sendable, BitwiseCopyable {
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
    /// The device; negative if the notification was removed.
    var device: Int32
    /// The place of the device's next one.
    var next: UInt32 = NotificationLogEntry.none

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
        // Cannot trap: the bounds are those of a UInt32, and both times are finite.
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
    var isSound: Bool { SimulatorTimeRange.range.contains(self.acceptedAt) }
}

/// An accepted notification: content, identity and time.
struct NotificationRecord: Sendable, Hashable, Codable {
    /// The content, shared with others of the same campaign.
    let content: NotificationContent
    let apnsID: APNsID
    /// Whether the request named the identity.
    let namesID: Bool
    /// When APNs accepted it, in seconds since 1970.
    let acceptedAt: Double

    /// The topic of the token that it was sent to.
    var topic: TopicIndex { self.content.topic }
    /// The JSON as it was sent.
    var payload: [UInt8] { self.content.payload }
    /// When it is no longer worth delivering, in seconds since 1970.
    var expiresAt: Double { self.content.expiresAt(acceptedAt: self.acceptedAt) }
    /// Whether it may wait in APNs's store.
    var isStorable: Bool { self.expiresAt > self.acceptedAt }
    /// 10, 5 or 1.
    var priority: Int { Int(self.content.priority) }

    /// The `apns-*` fields of the request.
    var headers: [String: String] {
        var headers = self.content.headers
        if self.namesID { headers["apns-id"] = self.apnsID.description }
        return headers
    }
}

/// A notification in APNs's store, with the token that it was sent to.
struct StoredNotification: Codable, Sendable, Hashable {
    var record: NotificationRecord
    var registration: RegistrationIndex
}
