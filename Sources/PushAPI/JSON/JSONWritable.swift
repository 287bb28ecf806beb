// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

/// A response body that writes its own JSON: the bytes that `JSONEncoder` would write, in a fraction of the time.
///
/// Write the members in the order of their names, as ``JSONResponseEncoder`` has them in all responses.
protocol JSONWritable: Sendable {
    func write(into writer: inout JSONWriter)
}

/// A page of a list as returned by the API: its elements, and the cursor of the next page.
struct ListBody<Element: JSONWritable>: JSONWritable {
    private let name: String
    private let elements: [Element]
    private let nextCursor: String?

    /// The name of the elements has to come before `nextCursor`.
    init(_ name: String, of elements: [Element], nextCursor: String?) {
        self.name = name
        self.elements = elements
        self.nextCursor = nextCursor
    }

    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member(self.name, self.elements)
            writer.member("nextCursor", self.nextCursor)
        }
    }
}

extension JSONWriter {
    /// Writes an object; `members` writes its members.
    mutating func object(_ members: (inout JSONWriter) -> Void) {
        self.beginObject()
        members(&self)
        self.endObject()
    }

    /// Writes an array of values.
    mutating func array(_ values: some Sequence<some JSONWritable>) {
        self.beginArray()
        for value in values { value.write(into: &self) }
        self.endArray()
    }

    // A member without a value is left out.

    mutating func member(_ name: String, _ text: String?) {
        guard let text else { return }
        self.key(name)
        self.string(text)
    }

    mutating func member(_ name: String, _ number: Int?) {
        guard let number else { return }
        self.key(name)
        self.integer(number)
    }

    mutating func member(_ name: String, _ flag: Bool?) {
        guard let flag else { return }
        self.key(name)
        self.bool(flag)
    }

    mutating func member(_ name: String, _ time: Date?) {
        guard let time else { return }
        self.key(name)
        self.string(Timestamp.text(time))
    }

    mutating func member(_ name: String, _ value: (some JSONWritable)?) {
        guard let value else { return }
        self.key(name)
        value.write(into: &self)
    }

    mutating func member(_ name: String, _ values: [some JSONWritable]?) {
        guard let values else { return }
        self.key(name)
        self.array(values)
    }

    mutating func member(_ name: String, _ texts: [String]?) {
        guard let texts else { return }
        self.key(name)
        self.beginArray()
        for text in texts { self.string(text) }
        self.endArray()
    }

    /// Writes an object with a member for each entry, in the order of their UTF-8 bytes.
    mutating func member<Value>(
        _ name: String,
        _ entries: [String: Value],
        _ write: (inout JSONWriter, Value) -> Void
    ) {
        self.key(name)
        self.object { writer in
            for (name, value) in entries.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                writer.key(name)
                write(&writer, value)
            }
        }
    }
}
