// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// An accepted notification in compact form: one array with the payload and the header fields behind it.
struct NotificationRecord: Sendable {
    /// The payload, then for each field its number, its length in two bytes and its value.
    private let bytes: [UInt8]
    private let payloadCount: Int32
    let topic: TopicIndex
    let apnsID: APNsID
    /// When it is no longer worth delivering, in seconds since 1970.
    let expiresAt: Double
    /// When it was accepted and, once it has arrived, when that was.
    ///
    /// Seconds since 1970.
    var receivedAt: Double

    init(_ request: RequestHead, topic: TopicIndex, apnsID: APNsID, expiresAt: Double, now: Double) {
        let body = request.body
        var count = body.count
        for field in RequestField.notification {
            if let value = request.value(field) { count += 3 + value.count }
        }
        self.bytes = Array(unsafeUninitializedCapacity: count) { output, initialized in
            var position = Self.copy(body, to: output, at: 0)
            for field in RequestField.notification {
                guard let value = request.value(field) else { continue }
                output[position] = UInt8(truncatingIfNeeded: field.rawValue)
                output[position + 1] = UInt8(truncatingIfNeeded: value.count >> 8)
                output[position + 2] = UInt8(truncatingIfNeeded: value.count)
                position = Self.copy(value, to: output, at: position + 3)
            }
            initialized = position
        }
        self.payloadCount = Int32(body.count)
        self.topic = topic
        self.apnsID = apnsID
        self.expiresAt = expiresAt
        self.receivedAt = now
    }

    /// The JSON as it was sent.
    var payload: [UInt8] { Array(self.bytes[..<Int(self.payloadCount)]) }

    /// The `apns-*` fields of the request.
    var headers: [String: String] {
        var headers: [String: String] = [:]
        var position = Int(self.payloadCount)
        while position + 3 <= self.bytes.count {
            let count = Int(self.bytes[position + 1]) << 8 | Int(self.bytes[position + 2])
            let end = position + 3 + count
            if let field = RequestField(rawValue: Int(self.bytes[position])) {
                headers["\(field.name)"] = String(decoding: self.bytes[position + 3..<end], as: UTF8.self)
            }
            position = end
        }
        return headers
    }

    private static func copy(
        _ source: UnsafeBufferPointer<UInt8>,
        to output: UnsafeMutableBufferPointer<UInt8>,
        at position: Int
    ) -> Int {
        guard let from = source.baseAddress, let to = output.baseAddress else { return position }
        (to + position).initialize(from: from, count: source.count)
        return position + source.count
    }
}
