// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Yams

/// `docs/openapi.yaml`, as far as tests need it.
struct OpenAPISpecification: Sendable {
    static let shared = OpenAPISpecification()

    /// One operation, as routes are described.
    struct Operation: Hashable, Sendable {
        var method: String
        var path: String
    }

    let text: String
    let root: JSONValue

    /// Every operation of the document.
    let operations: [Operation: JSONValue]

    private init() {
        self.text = ProjectFiles.read("docs/openapi.yaml")
        self.root = Self.value((try? Yams.load(yaml: self.text)) ?? "the document is not YAML")
        var operations: [Operation: JSONValue] = [:]
        for (path, item) in self.root["paths"]?.members ?? [:] {
            for (method, operation) in item.members where method != "parameters" {
                operations[Operation(method: method.uppercased(), path: path)] = operation
            }
        }
        self.operations = operations
    }

    /// The operation of a request; `nil` if there is none.
    func operation(_ method: String, _ path: String) -> (key: Operation, value: JSONValue)? {
        let bare = String(path.prefix { $0 != "?" })
        // A parameter with a fixed ending is longer than one without, and goes before it.
        return self.operations.filter { $0.key.method == method && Self.fits(bare, $0.key.path) }
            .max { $0.key.path.count < $1.key.path.count }
    }

    /// A schema by its name.
    func schema(_ name: String) -> JSONValue? { self.root["components"]?["schemas"]?[name] }

    /// Where an answer differs from what the document says of it.
    func faults(of answer: Answer, to method: String, path: String) -> [String] {
        let type = answer.headers[.contentType] ?? ""
        if type == "application/problem+json" { return self.faults(of: answer.json, as: "Problem") }
        guard let operation = self.operation(method, path) else {
            return ["there is no operation \(method) \(path.prefix { $0 != "?" })"]
        }
        guard let response = operation.value["responses"]?[String(answer.status)] else {
            return ["the status \(answer.status) is not documented"]
        }
        guard let content = self.resolve(response)["content"] else {
            return answer.text.isEmpty ? [] : ["a body that is not documented"]
        }
        guard let media = content[String(type.prefix { $0 != ";" })] else {
            return ["the type \(type) is not documented"]
        }
        guard type == "application/json", let schema = media["schema"] else { return [] }
        return SchemaCheck(specification: self).faults(of: answer.json, against: schema, at: "body")
    }

    func faults(of value: JSONValue, as name: String) -> [String] {
        guard let schema = self.schema(name) else { return ["there is no schema \(name)"] }
        return SchemaCheck(specification: self).faults(of: value, against: schema, at: "body")
    }

    /// Follows a `$ref`.
    func resolve(_ value: JSONValue) -> JSONValue {
        guard let reference = value["$ref"]?.text else { return value }
        return reference.split(separator: "/").dropFirst().reduce(self.root) { $0[String($1)] ?? .null }
    }

    /// The concrete path is one of the template; a fixed segment wins over a parameter by the number of segments.
    private static func fits(_ path: String, _ template: String) -> Bool {
        let own = path.split(separator: "/")
        let other = template.split(separator: "/")
        guard own.count == other.count else { return false }
        return zip(own, other).allSatisfy { segment, template in
            guard let name = self.parameter(of: template) else { return segment == template }
            let suffix = template.dropFirst(name.count + 2)
            return suffix.isEmpty ? !segment.contains(":") : segment.hasSuffix(suffix)
        }
    }

    /// The name of the parameter with which a segment of a template begins, as in `{campaign}:pause`.
    static func parameter(of segment: Substring) -> String? {
        guard segment.hasPrefix("{"), let end = segment.firstIndex(of: "}") else { return nil }
        return String(segment[segment.index(after: segment.startIndex)..<end])
    }

    private static func value(_ any: Any) -> JSONValue {
        switch any {
        case let text as String: .string(text)
        case let flag as Bool: .bool(flag)
        case let number as Int: .integer(Int64(number))
        case let number as Double: .double(number)
        case let list as [Any]: .array(list.map(self.value))
        case let members as [AnyHashable: Any]:
            .object(Dictionary(uniqueKeysWithValues: members.map { ("\($0.key)", self.value($0.value)) }))
        default: .null
        }
    }
}
