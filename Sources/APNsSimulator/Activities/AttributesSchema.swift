// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// The shape of a Swift type decoded from JSON by a `JSONDecoder` with default settings, as ActivityKit does.
///
/// A test registers one shape for the attributes and one for the content state of an app's Live Activities; see
/// ``init(json:)`` for its JSON format.
public indirect enum AttributesSchema: Hashable, Sendable, Codable {
    /// `String`.
    case string
    /// `Bool`.
    case boolean
    /// An integer type, by the range of its values.
    case integer(IntegerKind)
    /// `Double`, `Float` or `Decimal`.
    case number
    /// `Date`: a number of seconds since 2001-01-01 00:00 UTC, Foundation's default.
    case date
    /// `Data`: base64, Foundation's default.
    case data
    /// `URL`.
    case url
    /// `UUID`.
    case uuid
    /// Any JSON value.
    case any
    /// An enumeration of strings.
    case enumeration([String])
    /// An enumeration whose cases have associated values, in the compiler's `Codable` format: one member with the name
    /// of the case, and an object of the values (`_0`, `_1` if they have no labels).
    case variant([String: [String: Member]])
    /// An array or a set.
    case array(AttributesSchema)
    /// A dictionary with strings as keys.
    case dictionary(AttributesSchema)
    /// A structure.
    case object([String: Member])

    /// A stored property.
    public struct Member: Hashable, Sendable, Codable {
        /// Its type.
        public var shape: AttributesSchema
        /// Whether the type is optional: the key may be missing or null.
        public var isOptional: Bool

        /// A property of this type.
        public init(_ shape: AttributesSchema, isOptional: Bool = false) {
            self.shape = shape
            self.isOptional = isOptional
        }
    }

    /// An integer type of Swift's.
    public enum IntegerKind: String, Hashable, Sendable, Codable, CaseIterable {
        /// `Int`, `Int64`.
        case integer
        /// `Int8`.
        case int8
        /// `Int16`.
        case int16
        /// `Int32`.
        case int32
        /// `UInt`, `UInt64`.
        case unsigned
        /// `UInt8`.
        case uint8
        /// `UInt16`.
        case uint16
        /// `UInt32`.
        case uint32

        /// Whether the type has this value.
        func holds(_ value: Int64) -> Bool {
            switch self {
            case .integer: true
            case .int8: Int8(exactly: value) != nil
            case .int16: Int16(exactly: value) != nil
            case .int32: Int32(exactly: value) != nil
            case .unsigned: value >= 0
            case .uint8: UInt8(exactly: value) != nil
            case .uint16: UInt16(exactly: value) != nil
            case .uint32: UInt32(exactly: value) != nil
            }
        }
    }

    /// A structure without properties.
    public static let empty = AttributesSchema.object([:])
}

extension AttributesSchema {
    private static let maximumDepth = 32
    private static let scalars: [String: AttributesSchema] = [
        "string": .string, "boolean": .boolean, "number": .number, "date": .date, "data": .data, "url": .url,
        "uuid": .uuid, "any": .any,
    ]

    /// The shape that a JSON document describes.
    ///
    /// Each shape is an object with a `type`: `string`, `boolean`, `integer` (also `int8`, `int16`, `int32`,
    /// `unsigned`, `uint8`, `uint16`, `uint32`), `number`, `date`, `data`, `url`, `uuid`, `any`, `enum` with `cases`
    /// (an array of strings, or an object of cases with the properties of their associated values), `array` with
    /// `items`, `dictionary` with `values`, `object` with `properties`. A property may have `"optional": true`.
    ///
    ///     {"type": "object", "properties": {"endsAt": {"type": "date"}, "name": {"type": "string", "optional": true}}}
    ///
    /// - Throws: ``InvalidValueError`` with the path of the first invalid shape.
    public init(json: JSONValue) throws(InvalidValueError) {
        self = try Self.member(json, path: "shape", depth: 0).shape
    }

    private static func member(_ json: JSONValue, path: String, depth: Int) throws(InvalidValueError) -> Member {
        guard depth < Self.maximumDepth else {
            throw InvalidValueError(field: path, rule: "at most \(Self.maximumDepth) levels", value: "more")
        }
        guard case .object(var members) = json else {
            throw InvalidValueError(field: path, rule: "an object with a type", value: json.kind)
        }
        guard case .string(let type)? = members.removeValue(forKey: "type") else {
            throw InvalidValueError(field: "\(path).type", rule: "the name of a type", value: "nothing")
        }
        var isOptional = false
        if let value = members.removeValue(forKey: "optional") {
            guard case .bool(let flag) = value else {
                throw InvalidValueError(field: "\(path).optional", rule: "true or false", value: value.kind)
            }
            isOptional = flag
        }
        let shape = try Self.shape(type, &members, path: path, depth: depth)
        if let name = members.keys.min() {
            throw InvalidValueError(field: "\(path).\(name)", rule: "no such member of a \(type)", value: "one")
        }
        return Member(shape, isOptional: isOptional)
    }

    private static func shape(
        _ type: String,
        _ members: inout [String: JSONValue],
        path: String,
        depth: Int
    ) throws(InvalidValueError) -> AttributesSchema {
        if let scalar = Self.scalars[type] { return scalar }
        if let kind = IntegerKind(rawValue: type) { return .integer(kind) }
        switch type {
        case "array":
            let items = members.removeValue(forKey: "items") ?? .null
            return .array(try Self.member(items, path: "\(path).items", depth: depth + 1).shape)
        case "dictionary":
            let values = members.removeValue(forKey: "values") ?? .null
            return .dictionary(try Self.member(values, path: "\(path).values", depth: depth + 1).shape)
        case "object":
            let properties = members.removeValue(forKey: "properties") ?? .object([:])
            return .object(try Self.properties(properties, path: "\(path).properties", depth: depth + 1))
        case "enum":
            return try Self.cases(members.removeValue(forKey: "cases") ?? .null, path: "\(path).cases", depth: depth)
        default:
            let names =
                (Array(Self.scalars.keys) + IntegerKind.allCases.map(\.rawValue)).sorted()
                + ["enum", "array", "dictionary", "object"]
            throw InvalidValueError(
                field: "\(path).type",
                rule: "one of \(names.joined(separator: ", "))",
                value: type
            )
        }
    }

    private static func properties(
        _ json: JSONValue,
        path: String,
        depth: Int
    ) throws(InvalidValueError) -> [String: Member] {
        guard case .object(let members) = json else {
            throw InvalidValueError(field: path, rule: "an object of shapes", value: json.kind)
        }
        var properties: [String: Member] = [:]
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            properties[name] = try Self.member(value, path: "\(path).\(name)", depth: depth + 1)
        }
        return properties
    }

    private static func cases(
        _ json: JSONValue,
        path: String,
        depth: Int
    ) throws(InvalidValueError) -> AttributesSchema {
        switch json {
        case .array(let elements) where !elements.isEmpty:
            var names: [String] = []
            for (index, element) in elements.enumerated() {
                guard case .string(let name) = element else {
                    throw InvalidValueError(field: "\(path)[\(index)]", rule: "a string", value: element.kind)
                }
                names.append(name)
            }
            return .enumeration(names)
        case .object(let members) where !members.isEmpty:
            var cases: [String: [String: Member]] = [:]
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                cases[name] = try Self.properties(value, path: "\(path).\(name)", depth: depth + 1)
            }
            return .variant(cases)
        default:
            throw InvalidValueError(
                field: path,
                rule: "an array of strings, or an object of cases with their values",
                value: json.kind
            )
        }
    }
}

extension AttributesSchema {
    /// The shape as a document that describes it.
    public var json: JSONValue { .object(self.members) }

    private var members: [String: JSONValue] {
        switch self {
        case .integer(let kind): ["type": .string(kind.rawValue)]
        case .enumeration(let names): ["type": "enum", "cases": .array(names.map { .string($0) })]
        case .variant(let cases):
            ["type": "enum", "cases": .object(cases.mapValues { .object($0.mapValues(\.json)) })]
        case .array(let items): ["type": "array", "items": items.json]
        case .dictionary(let values): ["type": "dictionary", "values": values.json]
        case .object(let properties): ["type": "object", "properties": .object(properties.mapValues(\.json))]
        default: ["type": .string(Self.scalars.first { $0.value == self }?.key ?? "any")]
        }
    }
}

extension AttributesSchema.Member {
    fileprivate var json: JSONValue {
        guard self.isOptional, case .object(var members) = self.shape.json else { return self.shape.json }
        members["optional"] = true
        return .object(members)
    }
}

extension JSONValue {
    /// The name of the JSON type for error messages.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
