// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The place of a content in its table.
struct ContentIndex: Hashable, Sendable, BitwiseCopyable {
    let rawValue: UInt32
}

/// Every content once, as long as somebody refers to it; notifications that are alike but for their identity share it.
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
    /// How much memory the contents take, about.
    ///
    /// Unit: bytes.
    private(set) var size = 0

    /// How many contents there are.
    var count: Int { self.rows.count - self.free.count }

    /// A content that is referred to.
    func content(_ index: ContentIndex) -> NotificationContent? { self.rows[Int(index.rawValue)].content }

    /// Whether a content lets an app run in the background.
    func asksForRun(_ index: ContentIndex) -> Bool { self.rows[Int(index.rawValue)].content?.asksForRun ?? false }

    /// Whether there is such a content.
    func isValid(_ index: ContentIndex) -> Bool {
        Int(index.rawValue) < self.rows.count && self.rows[Int(index.rawValue)].content != nil
    }

    /// The content that a request carries, with one reference more.
    mutating func retain(_ request: RequestHead, _ facts: RequestFacts, topic: TopicIndex) -> ContentIndex {
        var hash = ContentHash()
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
        let hash = UInt64(truncatingIfNeeded: content.hashValue)
        return self.retain(hash: hash, where: { $0 == content }, else: { content })
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

    /// Gives up one reference; a content without references is forgotten.
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
    func check(_ topics: TopicTable) throws(SnapshotFault) {
        for (row, entry) in self.rows.enumerated() {
            guard let content = entry.content else { continue }
            guard content.isSound, topics.isValid(content.topic) else {
                throw SnapshotFault(path: "world.contents.rows[\(row)]", rule: "a payload and a known topic")
            }
        }
    }

    /// Counts references anew, after they were read from a document: `entries` has all that refer to a content.
    ///
    /// Contents to which nobody refers are forgotten.
    ///
    /// - Throws: ``SnapshotFault`` for an entry that refers to none.
    mutating func recount(_ entries: some Sequence<LogEntry>) throws(SnapshotFault) {
        for row in self.rows.indices { self.rows[row].references = 0 }
        for entry in entries {
            guard self.isValid(entry.content) else {
                throw SnapshotFault(path: "world.contents", rule: "every content that is referred to")
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

    /// Forgets places that were taken out, and makes room where it is wanted.
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
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.rows, forKey: .rows)
    }
}
