// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The place of a topic in its table.
struct TopicIndex: Hashable, Sendable {
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
}

/// Every topic once, so that a token needs four bytes for its own.
struct TopicTable: Sendable {
    private var rows: [TopicRecord] = []
    private var indices: [String: TopicIndex] = [:]

    subscript(index: TopicIndex) -> TopicRecord {
        _read { yield self.rows[Int(index.rawValue)] }
    }

    /// The place of a topic; it is added where it is new.
    mutating func index(of name: String) -> TopicIndex {
        if let index = self.indices[name] { return index }
        let index = TopicIndex(rawValue: Int32(self.rows.count))
        self.rows.append(TopicRecord(name: name, bytes: Array(name.utf8), bundleID: PushKind.bundleID(of: name)))
        self.indices[name] = index
        return index
    }
}
