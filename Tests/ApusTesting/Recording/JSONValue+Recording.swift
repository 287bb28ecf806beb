// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

extension JSONValue {
    /// The longest line of a recording.
    ///
    /// Unit: bytes.
    private static let width = 120

    /// The text of a string; `nil` for other values.
    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value at a path of names and indices with slashes in between; the empty path is the value itself.
    func value(at path: String) -> JSONValue? {
        path.split(separator: "/").reduce(self) { (value: JSONValue?, word) in
            guard case .array(let elements)? = value, let index = Int(word) else { return value?[String(word)] }
            return elements.indices.contains(index) ? elements[index] : nil
        }
    }

    /// The value as JSON with sorted members, on one line.
    var line: String { (try? self.json()).map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// The value as JSON with sorted members, on as many lines as it needs.
    func formatted(indent: Int = 0) -> String {
        let line = self.line
        guard indent + line.utf8.count > Self.width else { return line }
        let brackets: (String, String)
        let items: [String]
        switch self {
        case .array(let elements): (brackets, items) = (("[", "]"), elements.map { $0.formatted(indent: indent + 2) })
        case .object(let members):
            brackets = ("{", "}")
            items = members.sorted { $0.key < $1.key }.map { name, value in
                "\(JSONValue.string(name).line): \(value.formatted(indent: indent + 2))"
            }
        default: return line
        }
        let space = "\n" + String(repeating: " ", count: indent)
        return brackets.0 + items.map { "\(space)  \($0)" }.joined(separator: ",") + space + brackets.1
    }

    /// The path of the first difference from a recorded value, with both values; `nil` if there is none.
    func firstDifference(from recorded: JSONValue, at path: String) -> String? {
        guard self != recorded else { return nil }
        switch (recorded, self) {
        case (.object(let before), .object(let now)):
            let name = Set(before.keys).union(now.keys).sorted().first { before[$0] != now[$0] } ?? ""
            let place = "\(path) › \(name)"
            guard let old = before[name] else { return "\(place): \(now[name]?.line ?? ""), not recorded" }
            guard let new = now[name] else { return "\(place): missing, recorded is \(old.line)" }
            return new.firstDifference(from: old, at: place)
        case (.array(let before), .array(let now)):
            let pairs = zip(before, now).enumerated()
            guard let pair = pairs.first(where: { $0.element.0 != $0.element.1 }) else {
                return "\(path): \(now.count) elements, recorded are \(before.count)"
            }
            return pair.element.1.firstDifference(from: pair.element.0, at: "\(path) › \(pair.offset)")
        default: return "\(path): \(self.line), recorded is \(recorded.line)"
        }
    }
}
