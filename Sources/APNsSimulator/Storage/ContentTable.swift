// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The place of a content in its table.
struct ContentIndex: Hashable, Sendable, BitwiseCopyable {
    let rawValue: UInt32
}

/// Reference-counted, deduplicated contents; notifications that differ only in their identity share one.
struct ContentTable: Sendable {
    private struct Row: Sendable, Codable {
        var content: NotificationContent?
        var hash: UInt64
        var references: UInt32
    }

    private var rows: [Row] = []
    private var free: [UInt32] = []
    /// Open addressing: places by hash, -1 for none, -2 for one that was taken out.
    private var places: [Int32] = Array(repeating: -1, count: 64)
    private var used = 0
    /// Mixed into every hash, so that no sender can choose contents that collide.
    private let seed = UInt64.random(in: .min ... .max)
    /// How much memory the contents take, about.
    ///
    /// Unit: bytes.
    private(set) var size = 0

    var count: Int { self.rows.count - self.free.count }

    /// A content that is referred to.
    func content(_ index: ContentIndex) -> NotificationContent? { self.rows[Int(index.rawValue)].content }

    /// Whether a content lets an app run in the background.
    func asksForRun(_ index: ContentIndex) -> Bool { self.rows[Int(index.rawValue)].content?.asksForRun ?? false }

    func isValid(_ index: ContentIndex) -> Bool {
        Int(index.rawValue) < self.rows.count && self.rows[Int(index.rawValue)].content != nil
    }

    /// The content that a request carries, with one reference more.
    mutating func retain(_ request: RequestHead, _ facts: ParsedRequestHeaders, topic: TopicIndex) -> ContentIndex {
        var hash = ContentHash(seed: self.seed)
        hash.combine(UInt64(truncatingIfNeeded: topic.rawValue))
        hash.combine(request.body)
        for field in NotificationContent.fields {
            guard let value = request.value(field) else { continue }
            hash.combine(UInt64(field.rawValue))
            hash.combine(value)
        }
        return self.retain(
            hash: hash.value,
            where: { $0.equals(request, topic: topic) },
            else: { NotificationContent(request, facts, topic: topic) }
        )
    }

    /// Refers to a content that is already known by value.
    mutating func retain(_ content: NotificationContent) -> ContentIndex {
        self.retain(hash: content.hash(seed: self.seed), where: { $0 == content }, else: { content })
    }

    private mutating func retain(
        hash: UInt64,
        where matches: (NotificationContent) -> Bool,
        else make: () -> NotificationContent
    ) -> ContentIndex {
        let mask = self.places.count - 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while self.places[place] != -1 {
            let row = Int(self.places[place])
            if row >= 0, self.rows[row].hash == hash, let content = self.rows[row].content, matches(content) {
                self.rows[row].references += 1
                return ContentIndex(rawValue: UInt32(row))
            }
            place = (place + 1) & mask
        }
        return self.insert(make(), hash: hash)
    }

    /// Releases one reference; a content without references is removed.
    mutating func release(_ index: ContentIndex) {
        let row = Int(index.rawValue)
        self.rows[row].references -= 1
        guard self.rows[row].references == 0 else { return }
        let mask = self.places.count - 1
        var place = Int(truncatingIfNeeded: self.rows[row].hash) & mask
        while self.places[place] != Int32(row) { place = (place + 1) & mask }
        self.places[place] = -2
        self.size -= self.rows[row].content?.size ?? 0
        self.rows[row].content = nil
        self.free.append(index.rawValue)
    }

    /// Holds contents against the topics that they refer to, after they were read from a document.
    func check(_ topics: TopicTable) throws(SnapshotError) {
        for (row, entry) in self.rows.enumerated() {
            guard let content = entry.content else { continue }
            guard content.isSound, topics.isValid(content.topic) else {
                throw SnapshotError(path: "world.contents.rows[\(row)]", rule: "a payload and a known topic")
            }
        }
    }

    /// Recomputes the reference counts after decoding a document: `entries` has all references.
    ///
    /// Removes contents without references.
    ///
    /// - Throws: ``SnapshotError`` for an entry whose content does not exist.
    mutating func recount(_ entries: some Sequence<NotificationLogEntry>) throws(SnapshotError) {
        for row in self.rows.indices { self.rows[row].references = 0 }
        for entry in entries {
            guard self.isValid(entry.content) else {
                throw SnapshotError(path: "world.contents", rule: "a content for every reference")
            }
            self.rows[Int(entry.content.rawValue)].references += 1
        }
        for row in self.rows.indices where self.rows[row].references == 0 { self.rows[row].content = nil }
        self.free = self.rows.indices.filter { self.rows[$0].content == nil }.map { UInt32($0) }
        self.size = self.rows.reduce(0) { $0 + ($1.content?.size ?? 0) }
        self.rebuild()
    }

    private mutating func insert(_ content: NotificationContent, hash: UInt64) -> ContentIndex {
        let row: UInt32
        let new = Row(content: content, hash: hash, references: 1)
        if let last = self.free.popLast() {
            row = last
            self.rows[Int(row)] = new
        } else {
            row = UInt32(self.rows.count)
            self.rows.append(new)
        }
        self.used += 1
        self.size += content.size
        if self.used * 2 > self.places.count { self.rebuild() } else { self.place(Int32(row), hash: hash) }
        return ContentIndex(rawValue: row)
    }

    private mutating func place(_ row: Int32, hash: UInt64) {
        let mask = self.places.count - 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while self.places[place] >= 0 { place = (place + 1) & mask }
        self.places[place] = row
    }

    /// Rebuilds the hash table without released rows, with a capacity that fits the number of contents.
    private mutating func rebuild() {
        var capacity = 64
        while capacity < self.count * 4 { capacity *= 2 }
        self.places = Array(repeating: -1, count: capacity)
        self.used = self.count
        for (row, entry) in self.rows.enumerated() where entry.content != nil {
            self.place(Int32(row), hash: entry.hash)
        }
    }
}

extension ContentTable: Codable {
    private enum CodingKeys: String, CodingKey {
        case rows
    }

    /// Reads contents; who refers to them is found out by ``recount(_:)``.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.rows = try container.decode([Row].self, forKey: .rows)
        // The hashes of a document are not trusted: compare the contents of colliding rows.
        for row in self.rows.indices {
            guard let content = self.rows[row].content, content.isSound else { continue }
            self.rows[row].hash = content.hash(seed: self.seed)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.rows, forKey: .rows)
    }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    fileprivate func elements(equal other: UnsafeBufferPointer<UInt8>) -> Bool {
        UnsafeBufferPointer(rebasing: self).equals(other)
    }
}

/// A fast 64-bit hash of bytes for finding equal contents; the caller compares the contents of a match.
///
/// Multiplies and folds, eight bytes at a time, in the manner of Wang Yi's wyhash.
struct ContentHash {
    private(set) var value: UInt64

    init(seed: UInt64) {
        self.value = seed
    }

    mutating func combine(_ number: UInt64) {
        let product = (self.value ^ number).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        self.value = product.high ^ product.low ^ 0xE703_7ED1_A0B4_28DB
    }

    mutating func combine(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.combine(UInt64(bytes.count))
        let raw = UnsafeRawBufferPointer(bytes)
        var offset = 0
        while offset + 8 <= raw.count {
            self.combine(raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < raw.count {
            rest = rest << 8 | UInt64(raw[offset])
            offset += 1
        }
        self.combine(rest)
    }
}

/// The content of a request without its identity: the payload and the header fields, parsed once.
///
/// All notifications of a campaign share one.
struct NotificationContent: Sendable, Hashable, Codable {
    /// The payload, then for each field its number, its length in two bytes and its value.
    private let bytes: [UInt8]
    private let payloadCount: Int32
    /// The topic of the token.
    let topic: TopicIndex
    /// The index in ``PushTypeRules/all``.
    let kind: UInt8
    /// 10, 5 or 1.
    let priority: UInt8
    /// Whether it launches an app in the background, which uses the budget.
    let asksForRun: Bool
    /// The `apns-expiration`; -1 where there was none.
    private let expiration: Int64

    /// The fields that are kept with the payload.
    static let fields: [RequestField] = [.topic, .pushType, .expiration, .priority, .collapseID]

    init(_ request: RequestHead, _ facts: ParsedRequestHeaders, topic: TopicIndex) {
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
    var pushKind: PushTypeRules { PushTypeRules.all[Int(self.kind)] }

    /// How much memory it takes, about.
    ///
    /// Unit: bytes.
    var size: Int { self.bytes.count + 64 }

    /// Whether it can be read, after it came from a document.
    var isSound: Bool {
        (0...self.bytes.count).contains(Int(self.payloadCount)) && PushTypeRules.all.indices.contains(Int(self.kind))
    }

    /// When a notification that was accepted at `acceptedAt` is no longer worth delivering; seconds since 1970.
    func expiresAt(acceptedAt: Double) -> Double {
        let longest = acceptedAt + SimulatorState.maximumStorage
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

    /// The hash of a request with this content.
    func hash(seed: UInt64) -> UInt64 {
        var hash = ContentHash(seed: seed)
        hash.combine(UInt64(truncatingIfNeeded: self.topic.rawValue))
        self.bytes[..<Int(self.payloadCount)].withUnsafeBufferPointer { hash.combine($0) }
        self.eachField { field, value in
            hash.combine(UInt64(field.rawValue))
            value.withUnsafeBufferPointer { hash.combine($0) }
        }
        return hash.value
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
