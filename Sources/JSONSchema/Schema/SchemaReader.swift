// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Reads a schema, and notes everything that is wrong with it.
struct SchemaReader {
    /// The keywords without validation, which are annotations.
    private static let annotations: Set<String> = [
        "$comment", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
    ]

    /// The keywords whose texts are compared, with one another or with values.
    private static let comparing: Set<String> = ["const", "enum", "required", "type", "format", "$ref"]

    private static let rootOnly: Set<String> = ["$schema", "$id", "$defs"]
    private static let dialect = "https://json-schema.org/draft/2020-12/schema"
    private static let maximumFaults = 20
    var faults: [InvalidValueError] = []
    private var nodes = 0

    /// Reads the outermost schema.
    mutating func read(_ value: JSONValue) throws(SchemaErrors) -> (SchemaNode, [String: SchemaNode]) {
        guard case .object(let members) = value else {
            throw SchemaErrors("", rule: "an object", value: JSONTypeSet(value).found)
        }
        let root = self.node(value, at: "", depth: 0)
        let definitions = self.schemas(members["$defs"], at: "$defs", depth: 0)
        if let dialect = members["$schema"], !dialect.isComparable || dialect != .string(Self.dialect) {
            self.note("$schema", "'\(Self.dialect)', the only one that is known, or none", "another one")
        }
        self.checkReferences(root, definitions)
        guard self.faults.isEmpty else { throw SchemaErrors(self.faults) }
        return (root, definitions)
    }

    mutating func note(_ place: String, _ rule: String, _ value: String) {
        guard self.faults.count < Self.maximumFaults else { return }
        self.faults.append(InvalidValueError(field: place, rule: rule, value: value))
    }

    // MARK: Schemas

    private mutating func node(_ value: JSONValue, at place: String, depth: Int) -> SchemaNode {
        var node = SchemaNode()
        self.nodes += 1
        guard depth <= JSONSchema.maximumDepth, self.nodes <= JSONSchema.maximumNodes else {
            if self.nodes <= JSONSchema.maximumNodes + 1 {
                let rule = "at most \(JSONSchema.maximumNodes) schemas, \(JSONSchema.maximumDepth) inside one another"
                self.note(place, rule, "more")
            }
            return node
        }
        switch value {
        case .bool(let accepts): node.refusesAll = !accepts
        case .object(let members):
            for (keyword, value) in members.sorted(by: { $0.key < $1.key }) {
                self.read(keyword, value, into: &node, at: place, depth: depth)
            }
            self.complete(&node, at: place)
        default: self.note(place, "a schema: an object, true or false", JSONTypeSet(value).found)
        }
        return node
    }

    private mutating func read(
        _ keyword: String,
        _ value: JSONValue,
        into node: inout SchemaNode,
        at place: String,
        depth: Int
    ) {
        let own = Self.place(place, keyword)
        // Each value is compared with all of it.
        if ["const", "enum", "required"].contains(keyword) { node.steps += ((try? value.json())?.count ?? 0) / 128 }
        if Self.comparing.contains(keyword), !value.isComparable {
            return self.note(own, "at most 30 combining marks in a row", "more")
        }
        switch keyword {
        case "properties": node.properties = self.schemas(value, at: own, depth: depth)
        case "additionalProperties": node.additional = [self.node(value, at: own, depth: depth + 1)]
        case "items": node.items = [self.node(value, at: own, depth: depth + 1)]
        case "oneOf": node.oneOf = self.alternatives(value, at: own, depth: depth)
        case "anyOf": node.anyOf = self.alternatives(value, at: own, depth: depth)
        case "type": node.kinds = self.kinds(value, at: own)
        case "required": node.required = self.texts(value, at: own)
        case "enum": node.values = self.values(value, at: own)
        case "const": node.constant = value
        case "format": node.format = self.format(value, at: own)
        case "$ref": node.reference = self.reference(value, at: own)
        case "minItems": node.itemCounts = self.counts(value, node.itemCounts, isLower: true, at: own)
        case "maxItems": node.itemCounts = self.counts(value, node.itemCounts, isLower: false, at: own)
        case "minLength": node.lengths = self.counts(value, node.lengths, isLower: true, at: own)
        case "maxLength": node.lengths = self.counts(value, node.lengths, isLower: false, at: own)
        case "minimum", "exclusiveMinimum":
            node.minimum = self.bound(value, node.minimum, isExclusive: keyword != "minimum", at: own)
        case "maximum", "exclusiveMaximum":
            node.maximum = self.bound(value, node.maximum, isExclusive: keyword != "maximum", at: own)
        case "convert": node.isConverted = self.flag(value, at: own)
        default:
            guard !Self.annotations.contains(keyword), !(depth == 0 && Self.rootOnly.contains(keyword)) else { return }
            self.note(own, Self.advice(keyword), "a keyword that is not checked here")
        }
    }

    /// Checks that the keywords of a schema are consistent.
    private mutating func complete(_ node: inout SchemaNode, at place: String) {
        if let format = node.format {
            let kinds = node.kinds ?? format.kind
            let fits = format == .swiftDate ? [.number, .integer, .null] : [JSONTypeSet.string, .null]
            let allowed = fits.reduce(into: JSONTypeSet()) { $0.formUnion($1) }
            if !kinds.isSubset(of: allowed) || kinds == .null {
                let types = format == .swiftDate ? "'number'" : "'string'"
                self.note(Self.place(place, "type"), "\(types), with or without 'null', for that format", kinds.phrase)
            }
            node.kinds = kinds
        }
        if node.isConverted, node.format != .swiftDate {
            self.note(Self.place(place, "convert"), "also the format 'swift-date'", "another format or none")
        }
        if (node.oneOf + node.anyOf).contains(where: \.convertsAnywhere) {
            self.note(
                place,
                "no 'convert' within 'oneOf' and 'anyOf'; for a date or null: \"type\": [\"number\", \"null\"]",
                "one"
            )
        }
    }

    private mutating func schemas(_ value: JSONValue?, at place: String, depth: Int) -> [String: SchemaNode] {
        switch value {
        case nil: return [:]
        case .object(let members):
            var schemas: [String: SchemaNode] = [:]
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                schemas[name] = self.node(value, at: Self.place(place, name), depth: depth + 1)
            }
            return schemas
        case .some(let value):
            self.note(place, "an object of schemas", JSONTypeSet(value).found)
            return [:]
        }
    }

    private mutating func alternatives(_ value: JSONValue, at place: String, depth: Int) -> [SchemaNode] {
        let counts = 1...JSONSchema.maximumAlternatives
        guard case .array(let elements) = value, counts.contains(elements.count) else {
            self.note(place, "an array of 1 to \(counts.upperBound) schemas", JSONTypeSet(value).found)
            return []
        }
        return elements.enumerated().map { self.node($1, at: "\(place)[\($0)]", depth: depth + 1) }
    }

    /// The place of something within a schema.
    static func place(_ place: String, _ name: String) -> String {
        let name = String(name.prefix(64))
        return place.isEmpty ? name : "\(place).\(name)"
    }

    private static func advice(_ keyword: String) -> String {
        switch keyword {
        case "pattern": "'enum', 'format', 'minLength' or 'maxLength' instead: expressions are not evaluated"
        case "allOf": "'$ref' together with other keywords instead"
        case "definitions": "'$defs', as it is called since 2019"
        case "$defs", "$id", "$schema": "this keyword in the outermost schema only"
        case "nullable": "\"type\": [\"…\", \"null\"] instead"
        default: "a keyword that docs/live-activities.md lists"
        }
    }

    // MARK: References

    /// Makes sure that references lead somewhere, and never round in a circle without looking into the value.
    private mutating func checkReferences(_ root: SchemaNode, _ definitions: [String: SchemaNode]) {
        let all = ([root] + definitions.values)
        let unknown = all.reduce(into: Set<String>()) { $0.formUnion($1.references) }
            .filter { !$0.isEmpty && definitions[$0] == nil }
        for name in unknown.sorted() { self.note("$ref", "the name of a schema in '$defs'", "'\(name.prefix(40))'") }
        for (name, node) in [("", root)] + definitions.sorted(by: { $0.key < $1.key }) {
            var seen: Set<String> = []
            var next = node.ownReferences
            while let one = next.popFirst() {
                guard seen.insert(one).inserted else { continue }
                next.formUnion((one.isEmpty ? root : definitions[one])?.ownReferences ?? [])
            }
            guard seen.contains(name) else { continue }
            let place = name.isEmpty ? "$ref" : Self.place("$defs", name)
            self.note(place, "references without a cycle", "a cycle")
        }
        let hidden = all.flatMap(\.alternatives).reduce(into: Set<String>()) { $0.formUnion($1.references) }
        if hidden.contains(where: { ($0.isEmpty ? root : definitions[$0])?.convertsAnywhere == true }) {
            self.note("$ref", "no 'convert' in a '$ref' within 'oneOf' and 'anyOf'", "one")
        }
    }
}

extension JSONValue {
    /// Whether comparing its texts takes linear time; see `String.isStreamSafe`.
    ///
    /// The names of its members are safe: the parser checks them.
    fileprivate var isComparable: Bool {
        switch self {
        case .string(let text): text.isStreamSafe
        case .array(let elements): elements.allSatisfy(\.isComparable)
        case .object(let members): members.values.allSatisfy(\.isComparable)
        case .null, .bool, .integer, .double: true
        }
    }
}

extension SchemaReader {
    mutating func kinds(_ value: JSONValue, at place: String) -> JSONTypeSet? {
        let names: [JSONValue] = if case .array(let elements) = value { elements } else { [value] }
        var kinds = JSONTypeSet()
        for name in names {
            guard let known = JSONTypeSet.names.first(where: { .string($0.name) == name }) else {
                let all = JSONTypeSet.names.map { "'\($0.name)'" }.joined(separator: ", ")
                self.note(place, "one of \(all), or an array of them", JSONTypeSet(name).found)
                return nil
            }
            kinds.formUnion(known.kind)
        }
        if names.isEmpty { self.note(place, "at least one type", "none") }
        return kinds
    }

    mutating func texts(_ value: JSONValue, at place: String) -> [String] {
        guard case .array(let elements) = value, elements.count <= JSONSchema.maximumNodes else {
            self.note(place, "an array of names", JSONTypeSet(value).found)
            return []
        }
        return elements.compactMap { element in
            if case .string(let name) = element { return name }
            self.note(place, "an array of names", JSONTypeSet(element).found)
            return nil
        }
    }

    mutating func values(_ value: JSONValue, at place: String) -> [JSONValue] {
        let counts = 1...16 * JSONSchema.maximumAlternatives
        if case .array(let elements) = value, counts.contains(elements.count) { return elements }
        self.note(place, "an array of 1 to \(counts.upperBound) values", JSONTypeSet(value).found)
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
            self.note(place, "a whole number from 0 on", JSONTypeSet(value).found)
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
            self.note(place, "a number", JSONTypeSet(value).found)
            return nil
        }
    }

    mutating func flag(_ value: JSONValue, at place: String) -> Bool {
        if case .bool(let flag) = value { return flag }
        self.note(place, "true or false", JSONTypeSet(value).found)
        return false
    }
}
