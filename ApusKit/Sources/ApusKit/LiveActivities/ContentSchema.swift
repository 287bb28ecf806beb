// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation

/// A JSON Schema of what an app's types decode, made from a value of each.
///
/// Register it with `PUT /v1/apps/{app}/activity-types/{type}`, and the server refuses content that phones would ignore in
/// silence. That takes a key of the scope `activities`, which does not belong into an app: write the schema in a test, and
/// upload it where you deploy.
///
/// ```swift
/// let schema = try ContentSchema(contentState: state, attributes: attributes)
/// try schema.json.write(to: file)
/// ```
public struct ContentSchema: Sendable {
    /// The body of the request.
    public let json: Data

    /// The schema of values like these.
    ///
    /// A member that is `nil` here can be told to be optional, but not of which type it is: give a value where there can be one.
    /// An enumeration with `CaseIterable` lists its cases. Arrays take their type from the first element.
    ///
    /// - Throws: what the values throw when they are encoded.
    public init(contentState: some Encodable, attributes: (any Encodable)? = nil) throws {
        var members = ["contentState": try SchemaEncoder.schema(of: contentState)]
        if let attributes { members["attributes"] = try SchemaEncoder.schema(of: attributes) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        self.json = try encoder.encode(members)
    }
}

/// Writes down the types of what it is given to encode, instead of the values.
final class SchemaEncoder: Encoder {
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    private var type: [String: PushValue] = [:]
    private var properties: [String: SchemaEncoder] = [:]
    private var optional: Set<String> = []
    private var items: SchemaEncoder?
    private var isObject = false

    static func schema(of value: any Encodable) throws -> PushValue {
        let encoder = SchemaEncoder()
        try encoder.note(value)
        return encoder.schema
    }

    var schema: PushValue {
        guard self.isObject else {
            var schema = self.type
            if let items { schema["items"] = items.schema }
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

    func note(_ value: any Encodable) throws {
        switch value {
        case is Date: self.type = ["type": "number", "format": "swift-date"]
        case is UUID: self.type = ["type": "string", "format": "uuid"]
        case is URL, is Data, is String: self.type = ["type": "string"]
        case is Bool: self.type = ["type": "boolean"]
        case is Double, is Float, is Decimal: self.type = ["type": "number"]
        case is any UnsignedInteger: self.type = ["type": "integer", "minimum": .integer(0)]
        case is any FixedWidthInteger: self.type = ["type": "integer"]
        case let value as any CaseIterable & Encodable: try self.note(cases: value)
        default: try value.encode(to: self)
        }
    }

    private func note<Value: CaseIterable & Encodable>(cases value: Value) throws {
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
            let member = self.encoder.member(key.stringValue, isOptional: true)
            if let value { try member.note(value) }
        }

        func encodeIfPresent(_ value: String?, forKey key: Key) throws { try self.note(value ?? "", key) }
        func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try self.note(value ?? false, key) }
        func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try self.note(value ?? 0, key) }
        func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try self.note(value ?? 0, key) }

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
        var count: Int { self.encoder.items == nil ? 0 : 1 }

        private func item() -> SchemaEncoder {
            let item = SchemaEncoder()
            if self.encoder.items == nil { self.encoder.items = item }
            return item
        }

        func encodeNil() {}
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

extension PushValue: ExpressibleByStringLiteral {
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }

    /// The schema of what may also be absent.
    fileprivate var orNull: PushValue {
        guard case .object(var schema) = self else { return self }
        if let type = schema["type"] {
            schema["type"] = .array([type, .string("null")])
        } else if case .array(let cases)? = schema["enum"] {
            schema["enum"] = .array(cases + [.null])
        }
        return .object(schema)
    }
}
