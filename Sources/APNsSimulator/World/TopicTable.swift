// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The place of a topic in its table.
struct TopicIndex: Hashable, Sendable, Codable, BitwiseCopyable {
    let rawValue: Int32
}

/// A topic that some token stands for.
struct TopicRecord: Sendable {
    /// The topic's text.
    var name: String
    /// The same as UTF-8, to compare with a request's.
    var bytes: [UInt8]
    /// The app: the topic without its push type's suffix.
    var bundleID: String
    /// What a usual token of this topic is for.
    var kind: TokenKind

    init(name: String) {
        self.name = name
        self.bytes = Array(name.utf8)
        self.bundleID = PushKind.bundleID(of: name)
        let suffix = Array(name.dropFirst(self.bundleID.count).utf8)
        let kind = PushKind.all.first { $0.suffix == suffix }
        self.kind = kind.flatMap { suffix.isEmpty ? nil : .pushType($0.pushType.rawValue) } ?? .app
    }
}

/// Every topic once, so that a token needs four bytes for its own.
struct TopicTable: Sendable {
    private var rows: [TopicRecord] = []
    private var indices: [String: TopicIndex] = [:]

    subscript(index: TopicIndex) -> TopicRecord {
        _read { yield self.rows[Int(index.rawValue)] }
    }

    /// Whether there is such a topic.
    func isValid(_ index: TopicIndex) -> Bool { self.rows.indices.contains(Int(index.rawValue)) }

    /// The place of a topic; it is added where it is new.
    mutating func index(of name: String) -> TopicIndex {
        if let index = self.indices[name] { return index }
        let index = TopicIndex(rawValue: Int32(self.rows.count))
        self.rows.append(TopicRecord(name: name))
        self.indices[name] = index
        return index
    }
}

extension TopicTable: Codable {
    init(from decoder: any Decoder) throws {
        for name in try decoder.singleValueContainer().decode([String].self) { _ = self.index(of: name) }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.rows.map(\.name))
    }
}
