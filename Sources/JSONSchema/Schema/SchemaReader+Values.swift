// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

extension SchemaReader {
    mutating func kinds(_ value: JSONValue, at place: String) -> SchemaKinds? {
        let names: [JSONValue] = if case .array(let elements) = value { elements } else { [value] }
        var kinds = SchemaKinds()
        for name in names {
            guard let known = SchemaKinds.names.first(where: { .string($0.name) == name }) else {
                let all = SchemaKinds.names.map { "'\($0.name)'" }.joined(separator: ", ")
                self.note(place, "one of \(all), or an array of them", SchemaKinds(name).found)
                return nil
            }
            kinds.formUnion(known.kind)
        }
        if names.isEmpty { self.note(place, "at least one type", "none") }
        return kinds
    }

    mutating func texts(_ value: JSONValue, at place: String) -> [String] {
        guard case .array(let elements) = value, elements.count <= JSONSchema.maximumNodes else {
            self.note(place, "an array of names", SchemaKinds(value).found)
            return []
        }
        return elements.compactMap { element in
            if case .string(let name) = element { return name }
            self.note(place, "an array of names", SchemaKinds(element).found)
            return nil
        }
    }

    mutating func values(_ value: JSONValue, at place: String) -> [JSONValue] {
        let counts = 1...16 * JSONSchema.maximumAlternatives
        if case .array(let elements) = value, counts.contains(elements.count) { return elements }
        self.note(place, "an array of 1 to \(counts.upperBound) values", SchemaKinds(value).found)
        return []
    }

    mutating func format(_ value: JSONValue, at place: String) -> SchemaFormat? {
        if case .string(let name) = value, let format = SchemaFormat(rawValue: name) { return format }
        let all = SchemaFormat.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        self.note(place, "one of \(all)", "a format that is not checked here")
        return nil
    }

    mutating func reference(_ value: JSONValue, at place: String) -> String? {
        if value == "#" { return "" }
        let prefix = "#/$defs/"
        if case .string(let text) = value, text.hasPrefix(prefix), !text.dropFirst(prefix.count).contains("/") {
            // As in a JSON pointer (RFC 6901).
            return text.dropFirst(prefix.count).split(separator: "~1", omittingEmptySubsequences: false)
                .map { $0.split(separator: "~0", omittingEmptySubsequences: false).joined(separator: "~") }
                .joined(separator: "/")
        }
        self.note(place, "'#/$defs/NAME' or '#'", "another reference")
        return nil
    }

    mutating func counts(
        _ value: JSONValue,
        _ counts: ClosedRange<Int>,
        isLower: Bool,
        at place: String
    ) -> ClosedRange<Int> {
        guard case .integer(let number) = value, let count = Int(exactly: number), count >= 0 else {
            self.note(place, "a whole number from 0 on", SchemaKinds(value).found)
            return counts
        }
        let (lower, upper) = isLower ? (count, counts.upperBound) : (counts.lowerBound, count)
        guard lower <= upper else {
            self.note(place, "a lower bound that is not above the upper one", "one that is")
            return counts
        }
        return lower...upper
    }

    /// A bound beside one that is known: the narrower one would need both, so there may be one only.
    mutating func bound(
        _ value: JSONValue,
        _ known: SchemaNode.Bound?,
        isExclusive: Bool,
        at place: String
    ) -> SchemaNode.Bound? {
        if known != nil { self.note(place, "either a bound or an exclusive one", "both") }
        switch value {
        case .integer(let number): return SchemaNode.Bound(value: Double(number), isExclusive: isExclusive)
        case .double(let number): return SchemaNode.Bound(value: number, isExclusive: isExclusive)
        default:
            self.note(place, "a number", SchemaKinds(value).found)
            return nil
        }
    }

    mutating func flag(_ value: JSONValue, at place: String) -> Bool {
        if case .bool(let flag) = value { return flag }
        self.note(place, "true or false", SchemaKinds(value).found)
        return false
    }
}
