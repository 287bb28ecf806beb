// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import Foundation
import Hummingbird
import Testing
import Yams

@testable import APNsSimulator

@Suite("OpenAPI document")
struct OpenAPITests {
    private static func document() throws -> [String: Any] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/simulator-openapi.yaml"), encoding: .utf8)
        return try #require(try Yams.load(yaml: text) as? [String: Any])
    }

    @Test("every route is in the document, and every operation of the document is a route")
    func routes() throws {
        let simulator = try APNsSimulator()
        let served = Set(
            ControlAPI(simulator: simulator).router().routes.map { "\($0.method.rawValue) \($0.path)" }
        )
        let paths = try #require(try Self.document()["paths"] as? [String: [String: Any]])
        let methods: Set<String> = ["get", "post", "put", "patch", "delete"]
        let documented = Set(
            paths.flatMap { path, operations in
                operations.keys.filter { methods.contains($0) }.map { "\($0.uppercased()) \(path)" }
            }
        )
        #expect(served == documented)
    }

    @Test("every operation has an identifier, a summary, and answers; references lead somewhere")
    func operations() throws {
        let document = try Self.document()
        #expect((document["openapi"] as? String)?.hasPrefix("3.1") == true)
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        var identifiers: [String] = []
        for (path, operations) in paths {
            for (method, value) in operations where method != "parameters" {
                let operation = try #require(value as? [String: Any])
                identifiers.append(try #require(operation["operationId"] as? String))
                #expect((operation["summary"] as? String)?.isEmpty == false, "\(method) \(path)")
                #expect((operation["responses"] as? [String: Any])?.isEmpty == false, "\(method) \(path)")
            }
        }
        #expect(Set(identifiers).count == identifiers.count)
        for reference in Self.references(document) { #expect(Self.resolve(reference, in: document), "\(reference)") }
    }

    @Test("the parameters of queries are those of the document")
    func queryParameters() throws {
        let document = try Self.document()
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        let common = (document["components"] as? [String: Any])?["parameters"] as? [String: [String: Any]] ?? [:]
        var documented: [String: Set<String>] = [:]
        for (path, operations) in paths {
            for (method, value) in operations {
                let parameters = (value as? [String: Any])?["parameters"] as? [[String: Any]] ?? []
                let names = parameters.compactMap { parameter -> String? in
                    let reference = (parameter["$ref"] as? String)?.split(separator: "/").last.map(String.init)
                    let entry = reference.flatMap { common[$0] } ?? parameter
                    return entry["in"] as? String == "query" ? entry["name"] as? String : nil
                }
                if !names.isEmpty { documented["\(method.uppercased()) \(path)"] = Set(names) }
            }
        }
        #expect(documented == ControlQuery.parameters)
    }

    @Test("the problem codes of the document are those that there are")
    func problemCodes() throws {
        let document = try Self.document()
        let schemas = try #require((document["components"] as? [String: Any])?["schemas"] as? [String: [String: Any]])
        let properties = try #require(schemas["Problem"]?["properties"] as? [String: [String: Any]])
        let codes = try #require(properties["code"]?["enum"] as? [String])
        #expect(Set(codes) == Set(ControlProblem.Code.allCases.map(\.rawValue)))
    }

    private static func references(_ value: Any) -> [String] {
        if let object = value as? [String: Any] {
            return object.flatMap { $0.key == "$ref" ? [$0.value as? String ?? ""] : self.references($0.value) }
        }
        return (value as? [Any])?.flatMap { self.references($0) } ?? []
    }

    private static func resolve(_ reference: String, in document: [String: Any]) -> Bool {
        var value: Any? = document
        for part in reference.split(separator: "/").dropFirst() {
            value = (value as? [String: Any])?[String(part)]
        }
        return value != nil
    }
}
