// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// What a request carries apart from its identity: the payload and the header fields, read once.
///
/// The same for all notifications of a campaign, which share one.
struct NotificationContent: Sendable, Hashable, Codable {
    /// The payload, then for each field its number, its length in two bytes and its value.
    private let bytes: [UInt8]
    private let payloadCount: Int32
    /// The topic of the token.
    let topic: TopicIndex
    /// The index in ``PushKind/all``.
    let kind: UInt8
    /// 10, 5 or 1.
    let priority: UInt8
    /// Whether it lets an app run in the background, for which there is a budget.
    let asksForRun: Bool
    /// The `apns-expiration`; -1 where there was none.
    private let expiration: Int64

    /// The fields that are kept with the payload.
    static let fields: [RequestField] = [.topic, .pushType, .expiration, .priority, .collapseID]

    init(_ request: RequestHead, _ facts: RequestFacts, topic: TopicIndex) {
        let body = request.body
        var count = body.count
        for field in Self.fields {
            if let value = request.value(field) { count += 3 + value.count }
        }
        self.bytes = Array(unsafeUninitializedCapacity: count) { output, initialized in
            var position = Self.copy(body, to: output, at: 0)
            for field in Self.fields {
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
        self.kind = UInt8(truncatingIfNeeded: facts.kind.value ?? 0)
        self.priority = UInt8(truncatingIfNeeded: facts.effectivePriority)
        self.asksForRun = facts.pushKind.isBackground || body.contains("content-available")
        self.expiration = facts.expiration.value ?? -1
    }

    /// The JSON as it was sent.
    var payload: [UInt8] { Array(self.bytes[..<Int(self.payloadCount)]) }

    /// The push type that was named, or an alert.
    var pushKind: PushKind { PushKind.all[Int(self.kind)] }

    /// How much memory it takes, about.
    ///
    /// Unit: bytes.
    var size: Int { self.bytes.count + 64 }

    /// Whether it can be read, after it came from a document.
    var isSound: Bool {
        (0...self.bytes.count).contains(Int(self.payloadCount)) && PushKind.all.indices.contains(Int(self.kind))
    }

    /// When a notification that was accepted at `acceptedAt` is no longer worth delivering; seconds since 1970.
    func expiresAt(acceptedAt: Double) -> Double {
        let longest = acceptedAt + World.maximumStorage
        return self.expiration < 0 ? longest : min(Double(self.expiration), longest)
    }

    /// The `apns-collapse-id`, where there was one.
    var collapseID: String? {
        var collapseID: String?
        self.eachField { if $0 == .collapseID { collapseID = String(decoding: $1, as: UTF8.self) } }
        return collapseID
    }

    /// The `apns-*` fields of the request, by their names; without `apns-id`, which is the notification's own.
    var headers: [String: String] {
        var headers: [String: String] = [:]
        self.eachField { headers["\($0.name)"] = String(decoding: $1, as: UTF8.self) }
        return headers
    }

    /// Whether this is what a request carries.
    func equals(_ request: RequestHead, topic: TopicIndex) -> Bool {
        guard self.topic == topic else { return false }
        return self.bytes.withUnsafeBufferPointer { bytes in
            let body = request.body
            guard body.count == Int(self.payloadCount), bytes[..<body.count].elements(equal: body) else { return false }
            var position = body.count
            for field in Self.fields {
                guard let value = request.value(field) else { continue }
                let end = position + 3 + value.count
                guard end <= bytes.count, Int(bytes[position]) == field.rawValue,
                    Int(bytes[position + 1]) << 8 | Int(bytes[position + 2]) == value.count,
                    bytes[(position + 3)..<end].elements(equal: value)
                else { return false }
                position = end
            }
            return position == bytes.count
        }
    }

    private func eachField(_ body: (RequestField, ArraySlice<UInt8>) -> Void) {
        var position = Int(self.payloadCount)
        while position + 3 <= self.bytes.count {
            let count = Int(self.bytes[position + 1]) << 8 | Int(self.bytes[position + 2])
            let end = min(position + 3 + count, self.bytes.count)
            if let field = RequestField(rawValue: Int(self.bytes[position])) {
                body(field, self.bytes[position + 3..<end])
            }
            position = end
        }
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

extension Slice<UnsafeBufferPointer<UInt8>> {
    /// Whether both are the same bytes.
    fileprivate func elements(equal other: UnsafeBufferPointer<UInt8>) -> Bool {
        UnsafeBufferPointer(rebasing: self).equals(other)
    }
}
