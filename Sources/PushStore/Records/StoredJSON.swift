// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Values that are only ever read and written whole.
enum StoredJSON {
    /// Texts by name; mostly there are none, which costs nothing.
    static func decodeTexts(_ text: String, _ what: String) throws -> [String: String] {
        text == "{}" ? [:] : try self.decode([String: String].self, text, what)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ text: String, _ what: String) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            throw StoreError.damaged(what)
        }
    }

    static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
