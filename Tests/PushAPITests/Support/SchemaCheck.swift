// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Holds a value against a schema of the document: the part of JSON Schema that the document uses.
struct SchemaCheck {
    let specification: OpenAPISpecification

    /// Every difference, with its place.
    func faults(of value: JSONValue, against schema: JSONValue, at path: String) -> [String] {
        let schema = self.specification.resolve(schema)
        if let type = schema["type"]?.text, type != Self.type(of: value), !(type == "number" && value.number != nil) {
            return ["\(path) is \(Self.type(of: value)) instead of \(type)"]
        }
        if let allowed = schema["enum"]?.elements, !allowed.contains(value) { return ["\(path) is none of its values"] }
        switch value {
        case .object(let members): return self.faults(of: members, against: schema, at: path)
        case .array(let elements):
            guard let items = schema["items"] else { return [] }
            return elements.enumerated().flatMap { index, element in
                self.faults(of: element, against: items, at: "\(path)[\(index)]")
            }
        default: return []
        }
    }

    private func faults(of members: [String: JSONValue], against schema: JSONValue, at path: String) -> [String] {
        let required = schema["required"]?.elements.compactMap(\.text) ?? []
        let missing = required.filter { members[$0] == nil }.map { "\(path).\($0) is missing" }
        return missing
            + members.flatMap { name, value -> [String] in
                if let property = schema["properties"]?[name] {
                    return self.faults(of: value, against: property, at: "\(path).\(name)")
                }
                switch schema["additionalProperties"] {
                case .bool(false): return ["\(path).\(name) is not documented"]
                case let other?: return self.faults(of: value, against: other, at: "\(path).\(name)")
                case nil: return []
                }
            }
    }

    private static func type(of value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool: "boolean"
        case .integer: "integer"
        case .double: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}
