// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// One schema of a tree of nested schemas, in the form for validation.
struct SchemaNode: Hashable, Sendable {
    /// A lower or an upper bound of numbers.
    struct Bound: Hashable, Sendable {
        let value: Double
        let isExclusive: Bool
    }

    /// The cost of validating one value with it, without its nested values.
    var steps = 1
    /// Whether it is `false`: nothing obeys it.
    var refusesAll = false
    var kinds: JSONTypeSet?
    /// Its reference: a name in `$defs`, or an empty name for the root.
    var reference: String?
    var format: SchemaFormat?
    var isConverted = false
    var properties: [String: SchemaNode] = [:]
    var required: [String] = []
    /// The schema of other members; none or one.
    var additional: [SchemaNode] = []
    /// The schema of elements; none or one.
    var items: [SchemaNode] = []
    var itemCounts = 0...Int.max
    var lengths = 0...Int.max
    var minimum: Bound?
    var maximum: Bound?
    var values: [JSONValue]?
    var constant: JSONValue?
    var oneOf: [SchemaNode] = []
    var anyOf: [SchemaNode] = []

    var children: [SchemaNode] {
        self.properties.values + self.additional + self.items + self.oneOf + self.anyOf
    }

    /// Whether it, or one within it, has dates converted.
    var convertsAnywhere: Bool { self.isConverted || self.children.contains(where: \.convertsAnywhere) }

    /// The references of it and its nested schemas.
    var references: Set<String> {
        self.children.reduce(into: self.reference.map { [$0] } ?? []) { $0.formUnion($1.references) }
    }

    /// The references that apply to the same value.
    var ownReferences: Set<String> {
        (self.oneOf + self.anyOf).reduce(into: self.reference.map { [$0] } ?? []) { $0.formUnion($1.ownReferences) }
    }

    /// The schemas that it and those within it choose from.
    var alternatives: [SchemaNode] {
        self.oneOf + self.anyOf + self.children.flatMap(\.alternatives)
    }
}

/// Kinds of JSON values; a whole number is a number too.
struct JSONTypeSet: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    static let null = JSONTypeSet(rawValue: 1)
    static let boolean = JSONTypeSet(rawValue: 2)
    static let integer = JSONTypeSet(rawValue: 4)
    static let number = JSONTypeSet(rawValue: 8)
    static let string = JSONTypeSet(rawValue: 16)
    static let array = JSONTypeSet(rawValue: 32)
    static let object = JSONTypeSet(rawValue: 64)

    /// The types by their names in `type`, with a phrase for messages.
    static let names: [(kind: JSONTypeSet, name: String, phrase: String)] = [
        (.object, "object", "an object"), (.array, "array", "an array"), (.string, "string", "a text"),
        (.integer, "integer", "a whole number"), (.number, "number", "a number"),
        (.boolean, "boolean", "true or false"),
        (.null, "null", "null"),
    ]

    /// The phrase for messages.
    var phrase: String {
        Self.names.filter { self.contains($0.kind) }.map(\.phrase).joined(separator: " or ")
    }

    init(_ value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool: self = .boolean
        case .integer: self = [.integer, .number]
        case .double(let number): self = Int64(exactly: number) == nil ? .number : [.integer, .number]
        case .string: self = .string
        case .array: self = .array
        case .object: self = .object
        }
    }

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The phrase for a value of it, which has a single type.
    var found: String {
        self == [.integer, .number] ? "a whole number" : self == .number ? "a number with a fraction" : self.phrase
    }
}

/// A more specific format of a string or a number.
enum SchemaFormat: String, Hashable, Sendable, CaseIterable {
    /// A Swift `Date` as `JSONEncoder` writes it by default, and as ActivityKit reads it: a number of seconds since
    /// 2001-01-01.
    case swiftDate = "swift-date"

    /// A time as a text (RFC 3339).
    case dateTime = "date-time"

    /// A Swift `UUID`.
    case uuid

    var kind: JSONTypeSet { self == .swiftDate ? .number : .string }
}
