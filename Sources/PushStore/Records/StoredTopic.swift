// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel

extension PushTopic {
    /// Reads the columns of the table `topics`.
    ///
    /// - Throws: ``StoreError`` `.corrupt` when they cannot be read.
    package init(stored row: some StoredRow) throws {
        self.init(
            id: TopicID(rawValue: Int64(try row.number("number"))),
            name: try row.identifier("name"),
            attributes: try TopicTexts.decode(try row.string("attributes")),
            tags: try TopicTexts.decode(try row.string("tags")),
            createdAt: try row.date("created_at")
        )
    }
}

/// Names with texts, which are only ever read and written whole.
package enum TopicTexts {
    /// The texts as JSON.
    package static func encode(_ texts: [String: String]) throws -> String { try StoredJSON.encode(texts) }

    /// Reads what `encode` wrote.
    package static func decode(_ text: String) throws -> [String: String] {
        try StoredJSON.decodeTexts(text, "attributes")
    }
}
