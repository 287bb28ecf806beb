// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// A JSON Schema (2020-12), limited to the keywords that matter for content that Swift decodes; parsed once, used many
/// times.
///
/// Keywords: `type` (also a list of types), `properties`, `required`, `additionalProperties`, `items`, `minItems`,
/// `maxItems`, `enum`, `const`, `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `minLength`, `maxLength`,
/// `format`, `oneOf`, `anyOf`, `$defs`, `$ref` to one of these or to the root, and annotations. In addition, `convert`
/// converts dates. Any other keyword is an error, because an ignored rule would be misleading.
///
/// The cost of parsing and validation is bounded for every schema and value.
public struct JSONSchema: Hashable, Sendable {
    /// The most bytes of a schema.
    public static let maximumBytes = 16 << 10

    /// The maximum nesting depth of schemas.
    static let maximumDepth = 16

    /// The maximum number of schemas within one.
    static let maximumNodes = 500

    /// How many schemas `oneOf` and `anyOf` may choose from, and how many times as many values `enum` may.
    static let maximumAlternatives = 16

    /// The schema as it was given.
    public let bytes: [UInt8]

    let root: SchemaNode
    let definitions: [String: SchemaNode]

    /// Whether dates are converted somewhere.
    let converts: Bool

    /// Reads a schema.
    ///
    /// The schema is a JSON object.
    /// - Throws: ``SchemaErrors``: every keyword that is not known, or has a value that it cannot have, with its place.
    public init(json bytes: [UInt8]) throws(SchemaErrors) {
        guard bytes.count <= Self.maximumBytes else {
            throw SchemaErrors("", rule: "at most \(Self.maximumBytes) bytes", value: "\(bytes.count) bytes")
        }
        let value: JSONValue
        do {
            value = try JSONValue(json: bytes)
        } catch {
            throw SchemaErrors("", rule: "a JSON Schema", value: error.message)
        }
        var reader = SchemaReader()
        self.bytes = bytes
        (self.root, self.definitions) = try reader.read(value)
        self.converts = self.root.convertsAnywhere || self.definitions.values.contains(where: \.convertsAnywhere)
    }

    /// Whether two schemas have the same text.
    public static func == (one: JSONSchema, other: JSONSchema) -> Bool { one.bytes == other.bytes }

    public func hash(into hasher: inout Hasher) { hasher.combine(self.bytes) }

    /// Validates a value, and returns at most 20 errors.
    ///
    /// The paths of the errors start with `field`.
    /// - Returns: the errors, in the order of the schema's rules; none if the value is valid.
    public func faults(in value: JSONValue, field: String) -> [InvalidValueError] {
        var check = SchemaCheck(schema: self, field: field)
        check.check(value, against: self.root)
        return check.faults
    }

    /// Returns a value in which the dates with `convert` are in the form that Swift decodes.
    ///
    /// A date in that form does not change, and neither does a value that is no date: the validation reports it.
    /// - Throws: ``InvalidValueError`` for `field` if the schema has too many cases for this value.
    public func converted(_ value: JSONValue, field: String = "value") throws(InvalidValueError) -> JSONValue {
        guard self.converts else { return value }
        var conversion = SchemaConversion(schema: self, field: field)
        return try conversion.converted(value, by: self.root)
    }

    /// The schema to which a reference points: one of `$defs`, or the root.
    func target(of name: String) -> SchemaNode { self.definitions[name] ?? self.root }
}
