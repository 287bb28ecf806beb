// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushAPI

/// Finds the values in the schemas of requests for which the OpenAPI document has no limit.
///
/// A number needs `minimum` and `maximum`, a text `maxLength`, an array `maxItems`, a map `maxProperties`. A text with a
/// `format` or a `pattern` needs no length. A value with an `enum` needs no limit.
struct SchemaLimits {
    /// The paths of the values without a limit, such as `Alert.title`, `Audience.users[]` or `DeviceRequest.tags.*`.
    private(set) var missing: Set<String> = []

    private let specification = OpenAPISpecification.shared
    private var visited: Set<String> = []

    /// Visits the schemas of all requests, and the schemas to which they refer.
    mutating func visitRequests() {
        for name in RequestMembers.bySchema.keys { self.visit(name) }
    }

    private mutating func visit(_ name: String) {
        guard self.visited.insert(name).inserted, let schema = self.specification.schema(name) else { return }
        self.visit(schema, at: name)
    }

    private mutating func visit(_ schema: JSONValue, at path: String) {
        if let reference = schema["$ref"]?.text {
            if let name = reference.split(separator: "/").last { self.visit(String(name)) }
            return
        }
        if schema["enum"] == nil {
            let needed = Self.types(of: schema).flatMap { Self.limits(of: $0, schema) }
            if needed.contains(where: { schema[$0] == nil }) { self.missing.insert(path) }
        }
        for (name, member) in schema["properties"]?.members ?? [:] { self.visit(member, at: "\(path).\(name)") }
        if let items = schema["items"] { self.visit(items, at: "\(path)[]") }
        if let values = Self.mapValues(of: schema) { self.visit(values, at: "\(path).*") }
        for alternative in schema["oneOf"]?.elements ?? [] { self.visit(alternative, at: path) }
    }

    private static func types(of schema: JSONValue) -> [String] {
        guard let type = schema["type"] else { return [] }
        return type.text.map { [$0] } ?? type.elements.compactMap(\.text)
    }

    private static func limits(of type: String, _ schema: JSONValue) -> [String] {
        switch type {
        case "integer", "number": ["minimum", "maximum"]
        case "array": ["maxItems"]
        case "string": schema["format"] == nil && schema["pattern"] == nil ? ["maxLength"] : []
        case "object": self.mapValues(of: schema) == nil ? [] : ["maxProperties"]
        default: []
        }
    }

    /// The schema of the values of a map; `nil` if only known members are allowed.
    private static func mapValues(of schema: JSONValue) -> JSONValue? {
        guard let values = schema["additionalProperties"], !values.members.isEmpty else { return nil }
        return values
    }
}
