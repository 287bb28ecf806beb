// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// A JSON Schema of an app's attributes and content state types, generated from sample values.
///
/// Register it with `PUT /v1/apps/{app}/activity-types/{type}`. The server then rejects content that devices would
/// silently ignore. The request needs a key with the scope `activities`, which must not be in an app. So write the
/// schema to a file in a test, and upload the file when you deploy.
///
/// ```swift
/// let schema = try ContentSchema(contentState: state, attributes: attributes)
/// try schema.json.write(to: file)
/// ```
public struct ContentSchema: Sendable {
    /// The request body.
    public let json: Data

    /// Creates the schema of the types of sample values.
    ///
    /// - Give a value for each optional member. If a member is `nil` and has a type of the app, its schema allows any
    ///   value.
    /// - The schema of a `CaseIterable` enumeration lists its cases. An enumeration with associated values becomes an
    ///   object without further constraints.
    /// - Arrays and dictionaries use the types of the sample's elements. Dictionaries allow any key.
    ///
    /// - Throws: The errors of encoding the values.
    public init(contentState: some Encodable, attributes: (any Encodable)? = nil) throws {
        var members = ["contentState": try SchemaEncoder.schema(of: contentState)]
        if let attributes { members["attributes"] = try SchemaEncoder.schema(of: attributes) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        self.json = try encoder.encode(members)
    }
}

/// An encoder that records the types of the encoded values instead of the values.
final class SchemaEncoder: Encoder {
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    private var type: [String: PushValue] = [:]
    private var properties: [String: SchemaEncoder] = [:]
    private var optional: Set<String> = []
    /// The elements of an array.
    private var items: [SchemaEncoder] = []
    private var isObject = false
    private var isNullable = false

    static func schema(of value: any Encodable) throws -> PushValue {
        let encoder = SchemaEncoder()
        try encoder.note(value)
        return encoder.schema
    }

    var schema: PushValue { self.isNullable ? self.present.orNull : self.present }

    private var present: PushValue {
        guard self.isObject else {
            var schema = self.type
            if !self.items.isEmpty { schema["items"] = Self.schema(ofOne: self.items) }
            return .object(schema)
        }
        let required = self.properties.keys.filter { !self.optional.contains($0) }.sorted()
        return .object([
            "type": "object",
            "properties": .object(
                Dictionary(
                    uniqueKeysWithValues: self.properties.map { name, member in
                        (name, self.optional.contains(name) ? member.schema.orNull : member.schema)
                    }
                )
            ),
            "required": .array(required.map { .string($0) }),
            "additionalProperties": .bool(false),
        ])
    }

    /// The schema that matches one of these values; any value if there are none or more than 15 different schemas.
    fileprivate static func schema(ofOne encoders: [SchemaEncoder]) -> PushValue {
        var schemas: [PushValue] = []
        for schema in encoders.map(\.schema) where !schemas.contains(schema) { schemas.append(schema) }
        // The server accepts 16 alternatives. Reserve one for null.
        switch schemas.count {
        case 1: return schemas[0]
        case 2...15: return .object(["anyOf": .array(schemas)])
        default: return .bool(true)
        }
    }

    func note(_ value: any Encodable) throws {
        switch value {
        // This case must be first, because an optional also matches the cases of its wrapped type.
        case let value as any AnyOptional:
            self.isNullable = true
            if let wrapped = value.wrapped { try self.note(wrapped) }
        case is Date: self.type = ["type": "number", "format": "swift-date"]
        case is UUID: self.type = ["type": "string", "format": "uuid"]
        case is URL, is Data, is String: self.type = ["type": "string"]
        case is Bool: self.type = ["type": "boolean"]
        case is Double, is Float, is Decimal: self.type = ["type": "number"]
        case let value as any FixedWidthInteger: self.note(integer: value)
        case let value as any CaseIterable & Encodable: self.note(cases: value)
        case let value as any AnyDictionary:
            // `JSONEncoder` encodes a dictionary with other keys as an array of alternating keys and values.
            guard value.hasTextKeys else { return self.type = ["type": "array"] }
            let values = try value.elements.map { element in
                let encoder = SchemaEncoder()
                try encoder.note(element)
                return encoder
            }
            self.type = ["type": "object", "additionalProperties": Self.schema(ofOne: values)]
        default:
            try value.encode(to: self)
            self.forgetPayload(of: value)
        }
    }

    /// Removes the recorded members of an enum case with associated values, because other cases have other members.
    ///
    /// The synthesized encoding is an object whose single member has the case's name. A custom encoding can be
    /// anything.
    private func forgetPayload(of value: any Encodable) {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .enum, !(value is any RawRepresentable) else { return }
        let name = mirror.children.first?.label ?? "\(value)"
        let isObject = self.isObject && Array(self.properties.keys) == [name]
        (self.isObject, self.properties, self.optional, self.items) = (false, [:], [], [])
        self.type = isObject ? ["type": "object"] : [:]
    }

    private func note<Value: FixedWidthInteger>(integer value: Value) {
        self.type = ["type": "integer"]
        if let least = Int(exactly: Value.min), least > Int.min { self.type["minimum"] = .integer(least) }
        if let most = Int(exactly: Value.max), most < Int.max { self.type["maximum"] = .integer(most) }
    }

    private func note<Value: CaseIterable & Encodable>(cases value: Value) {
        let cases = Value.allCases.compactMap { try? PushValue(encoding: [$0]) }
        let values = cases.flatMap { if case .array(let elements) = $0 { elements } else { [PushValue]() } }
        self.type = ["enum": .array(values)]
    }

    func member(_ name: String, isOptional: Bool) -> SchemaEncoder {
        let member = SchemaEncoder()
        self.isObject = true
        self.properties[name] = member
        if isOptional { self.optional.insert(name) }
        return member
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        self.isObject = true
        return KeyedEncodingContainer(Keyed(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        self.type = ["type": "array"]
        return Unkeyed(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: SchemaEncoder
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) { _ = self.encoder.member(key.stringValue, isOptional: true) }

        func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
            try self.encoder.member(key.stringValue, isOptional: false).note(value)
        }

        func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
            let example = value ?? (Date(timeIntervalSinceReferenceDate: 0) as? Value) ?? (UUID() as? Value)
            let member = self.encoder.member(key.stringValue, isOptional: true)
            if let example { try member.note(example) }
        }

        func encodeIfPresent(_ value: String?, forKey key: Key) throws { try self.note(value ?? "", key) }
        func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try self.note(value ?? false, key) }
        func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try self.note(value ?? 0, key) }
        func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try self.note(value ?? 0, key) }
        func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try self.note(value ?? 0, key) }
        func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try self.note(value ?? 0, key) }
        func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try self.note(value ?? 0, key) }
        func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try self.note(value ?? 0, key) }
        func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try self.note(value ?? 0, key) }
        func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try self.note(value ?? 0, key) }
        func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try self.note(value ?? 0, key) }
        func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try self.note(value ?? 0, key) }
        func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try self.note(value ?? 0, key) }
        func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try self.note(value ?? 0, key) }

        private func note(_ value: some Encodable, _ key: Key) throws {
            try self.encoder.member(key.stringValue, isOptional: true).note(value)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy keyType: Nested.Type,
            forKey key: Key
        ) -> KeyedEncodingContainer<Nested> {
            self.encoder.member(key.stringValue, isOptional: false).container(keyedBy: keyType)
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            self.encoder.member(key.stringValue, isOptional: false).unkeyedContainer()
        }

        func superEncoder() -> any Encoder { self.encoder.member("super", isOptional: false) }
        func superEncoder(forKey key: Key) -> any Encoder {
            self.encoder.member(key.stringValue, isOptional: false)
        }
    }

    private struct Unkeyed: UnkeyedEncodingContainer {
        let encoder: SchemaEncoder
        var codingPath: [any CodingKey] { [] }
        var count: Int { self.encoder.items.count }

        private func item() -> SchemaEncoder {
            let item = SchemaEncoder()
            self.encoder.items.append(item)
            return item
        }

        func encodeNil() { self.item().type = ["type": "null"] }
        func encode<Value: Encodable>(_ value: Value) throws { try self.item().note(value) }
        func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
            self.item().container(keyedBy: keyType)
        }
        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self.item().unkeyedContainer() }
        func superEncoder() -> any Encoder { self.item() }
    }

    private struct Single: SingleValueEncodingContainer {
        let encoder: SchemaEncoder
        var codingPath: [any CodingKey] { [] }
        func encodeNil() {}
        func encode<Value: Encodable>(_ value: Value) throws { try self.encoder.note(value) }
    }
}

/// Matches an optional in an `any Encodable`.
private protocol AnyOptional {
    var wrapped: (any Encodable)? { get }
}

extension Optional: AnyOptional where Wrapped: Encodable {
    fileprivate var wrapped: (any Encodable)? { self }
}

/// Matches a dictionary in an `any Encodable`.
private protocol AnyDictionary {
    /// Whether the dictionary is encoded as an object.
    var hasTextKeys: Bool { get }
    /// The values, sorted by key so that the schema is deterministic.
    var elements: [any Encodable] { get }
}

extension Dictionary: AnyDictionary where Key: Encodable, Value: Encodable {
    fileprivate var hasTextKeys: Bool {
        Key.self == String.self || Key.self == Int.self || Key.self is any CodingKeyRepresentable.Type
    }

    fileprivate var elements: [any Encodable] { self.sorted { "\($0.key)" < "\($1.key)" }.map(\.value) }
}

extension PushValue: ExpressibleByStringLiteral {
    /// Creates a string value.
    public init(stringLiteral value: String) { self = .string(value) }

    /// The schema that also allows null.
    fileprivate var orNull: PushValue {
        guard case .object(var schema) = self else { return self }
        if let type = schema["type"] {
            schema["type"] = .array([type, .string("null")])
        } else if case .array(let cases)? = schema["enum"] {
            schema["enum"] = .array(cases + [.null])
        } else if case .array(let forms)? = schema["anyOf"] {
            schema["anyOf"] = .array(forms + [.object(["type": "null"])])
        }
        return .object(schema)
    }
}
