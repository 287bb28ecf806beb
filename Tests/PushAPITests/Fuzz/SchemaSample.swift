// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting

/// Makes values that match the schemas of the OpenAPI document, as far as the schemas say what the server accepts.
struct SchemaSample {
    private static let maximumDepth = 8

    /// Texts of members, by parts of their names; the resources of `Recorded/calls.json` have these names.
    private static let texts: [(part: String, values: [String])] = [
        ("token", ["a001", "a002", "dd01", "b001"]), ("device", ["phone", "tablet", "lost"]),
        ("user", ["anna", "ben"]), ("topic", ["news", "alerts"]),
        ("attributesType", ["Lesson", "Match"]), ("activity", ["lesson", "match"]), ("channel", ["the final"]),
        ("app", ["com.example.app", "com.example.shop"]), ("fallbackZone", ["Europe/Vienna", "Asia/Kathmandu"]),
        ("timeZone", ["Europe/Vienna", "America/Sao_Paulo"]), ("locale", ["de", "de-AT", "en"]),
        ("cron", ["* * * * *", "0 9 * * 1-5", "@daily"]), ("url", ["https://hooks.example.com/apus"]),
        ("version", ["2.1", "10"]), ("time", ["09:00", "2036-03-20T09:00"]), ("instant", ["endsAt"]),
        ("eventTypes", ["device.invalidated"]), ("scope", ["send", "devices"]), ("id", ["order-17"]),
    ]

    private static let times = [
        "2026-02-02T02:40:00Z", "2026-02-02T03:40:00Z", "2036-04-01T00:00:00Z", "2026-02-02T02:40:00.5Z",
        "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
    ]

    private let specification = OpenAPISpecification.shared
    private(set) var random: SeededRandom

    init(_ random: SeededRandom) {
        self.random = random
    }

    /// A value of a schema; `name` is that of its member.
    mutating func value(_ schema: JSONValue, name: String = "", depth: Int = 0) -> JSONValue {
        let schema = self.specification.resolve(schema)
        if let values = schema["enum"]?.elements, !values.isEmpty { return self.pick(values) }
        for word in ["oneOf", "anyOf"] {
            guard let choices = schema[word]?.elements, !choices.isEmpty else { continue }
            return self.value(self.pick(choices), name: name, depth: depth)
        }
        switch self.type(of: schema) {
        case "object": return self.object(schema, depth: depth)
        case "array":
            guard depth < Self.maximumDepth, let items = schema["items"] else { return .array([]) }
            let fewest = schema["minItems"]?.number ?? 0
            let count = max(fewest, Int.random(in: 0...2, using: &self.random))
            return .array((0..<count).map { _ in self.value(items, name: name, depth: depth + 1) })
        case "string": return .string(self.text(schema, name: name))
        case "integer": return .integer(Int64(self.integer(schema)))
        case "number": return self.chance(2) ? .double(0.5) : .integer(Int64(self.integer(schema)))
        case "boolean": return .bool(self.chance(2))
        case "null": return .null
        default:
            let values: [JSONValue] = [.string("a"), .integer(1), .object(["a": .integer(1)]), .bool(true), .null]
            return self.pick(values)
        }
    }

    private mutating func object(_ schema: JSONValue, depth: Int) -> JSONValue {
        var members: [String: JSONValue] = [:]
        let required = schema["required"]?.elements.compactMap(\.text) ?? []
        // Sorted, so that a seed makes the same value in each process.
        for (name, property) in (schema["properties"]?.members ?? [:]).sorted(by: { $0.key < $1.key }) {
            let isWanted = required.contains(name) || (depth < Self.maximumDepth && self.chance(3))
            if isWanted { members[name] = self.value(property, name: name, depth: depth + 1) }
        }
        if case .object? = schema["additionalProperties"], depth < Self.maximumDepth {
            let additional = schema["additionalProperties"] ?? .null
            for name in ["endsAt", "plan", "de"] where self.chance(3) {
                members[name] = self.value(additional, name: name, depth: depth + 1)
            }
        } else if schema["properties"] == nil {
            let values: [JSONValue] = [.string("active"), .integer(1)]
            for name in ["status", "n"] where self.chance(2) { members[name] = self.pick(values) }
        }
        return .object(members)
    }

    private mutating func type(of schema: JSONValue) -> String? {
        let types = schema["type"]?.elements.compactMap(\.text) ?? []
        return types.isEmpty ? schema["type"]?.text : self.pick(types)
    }

    private mutating func text(_ schema: JSONValue, name: String) -> String {
        if schema["format"]?.text == "date-time" { return self.pick(Self.times) }
        let word = name.lowercased()
        if let fitting = Self.texts.first(where: { word.contains($0.part.lowercased()) }) {
            return self.pick(fitting.values)
        }
        return self.chance(4) ? FuzzedText.pick(FuzzedText.texts, using: &self.random) : "Hello {{tags.plan|there}}"
    }

    private mutating func integer(_ schema: JSONValue) -> Int {
        let least = schema["minimum"]?.number ?? 0
        let most = max(least, schema["maximum"]?.number ?? 100_000)
        switch Int.random(in: 0..<4, using: &self.random) {
        case 0: return least
        case 1: return most
        default: return Int.random(in: least...most, using: &self.random)
        }
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        FuzzedText.pick(elements, using: &self.random)
    }

    private mutating func chance(_ count: Int) -> Bool { FuzzedText.chance(count, using: &self.random) }
}
