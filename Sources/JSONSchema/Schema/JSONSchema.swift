// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// A JSON Schema (2020-12) of the part that matters to content that Swift decodes, read once and checked many times.
///
/// What it knows: `type` (also a list of types), `properties`, `required`, `additionalProperties`, `items`, `minItems`,
/// `maxItems`, `enum`, `const`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `minLength`, `maxLength`,
/// `format`, `oneOf`, `anyOf`, `$defs`, `$ref` to one of these or to the root, and annotations. Beside them `adapt` has
/// dates converted. Any other keyword is refused: a rule that is not checked would be worse than none.
///
/// Reading and checking are bounded whatever the schema and the value are.
public struct JSONSchema: Hashable, Sendable {
    /// The most bytes of a schema.
    public static let maximumBytes = 16 << 10

    /// How deep schemas may stand inside one another.
    static let maximumDepth = 16

    /// How many schemas may stand inside one.
    static let maximumNodes = 500

    /// How many schemas `oneOf` and `anyOf` may choose from, and how many times as many values `enum` may.
    static let maximumAlternatives = 16

    /// The schema as it was given.
    public let bytes: [UInt8]

    let root: SchemaNode
    let definitions: [String: SchemaNode]

    /// Whether dates are converted somewhere.
    let adapts: Bool

    /// Reads a schema.
    ///
    /// The schema is a JSON object.
    /// - Throws: ``SchemaFaults``: every keyword that is not known, or has a value that it cannot have, with its place.
    public init(json bytes: [UInt8]) throws(SchemaFaults) {
        guard bytes.count <= Self.maximumBytes else {
            throw SchemaFaults("", rule: "at most \(Self.maximumBytes) bytes", value: "\(bytes.count) bytes")
        }
        let value: JSONValue
        do {
            value = try JSONValue(json: bytes)
        } catch {
            throw SchemaFaults("", rule: "a JSON Schema", value: error.message)
        }
        var reader = SchemaReader()
        self.bytes = bytes
        (self.root, self.definitions) = try reader.read(value)
        self.adapts = self.root.adaptsAnywhere || self.definitions.values.contains(where: \.adaptsAnywhere)
    }

    /// Whether two schemas have the same text.
    public static func == (one: JSONSchema, other: JSONSchema) -> Bool { one.bytes == other.bytes }

    public func hash(into hasher: inout Hasher) { hasher.combine(self.bytes) }

    /// What of a value breaks the schema, at most 20 of its faults.
    ///
    /// The places of the faults begin with `field`.
    /// - Returns: the faults, in the order of the schema's rules; none when the value obeys it.
    public func faults(in value: JSONValue, field: String) -> [ValidationFailure] {
        var check = SchemaCheck(schema: self, field: field)
        check.check(value, against: self.root)
        return check.faults
    }

    /// A value in which the dates that the schema wants converted are as Swift reads them.
    ///
    /// A date that is that already stays as it is, and so does whatever is no date: the check finds it.
    /// - Throws: ``ValidationFailure`` for `field` when the schema has too many cases to try for this value.
    public func adapted(_ value: JSONValue, field: String = "value") throws(ValidationFailure) -> JSONValue {
        guard self.adapts else { return value }
        var adaptation = SchemaAdaptation(schema: self, field: field)
        return try adaptation.adapted(value, by: self.root)
    }

    /// The schema to which a reference points: one of `$defs`, or the root.
    func target(of name: String) -> SchemaNode { self.definitions[name] ?? self.root }
}
