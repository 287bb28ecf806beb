// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Logging
import PushAPI
import PushModel
import Testing

@Suite("The OpenAPI document", .timeLimit(.minutes(20)))
struct OpenAPITests {
    private static func withRoutes(_ test: ([RouteDescription]) throws -> Void) async throws {
        try await withTemporaryStore { store in
            let api = PushAPI(
                store: store,
                inspector: TestInspector(),
                masterKey: .generate(),
                logger: Logger(label: "test")
            )
            try test(api.routes)
        }
    }

    @Test("has every route and no other")
    func routes() async throws {
        try await Self.withRoutes { routes in
            let documented = OpenAPISpecification.shared.operations.keys.map { "\($0.method) \($0.path)" }
            #expect(routes.map(\.description).sorted() == documented.sorted())
        }
    }

    @Test("names the scopes of every route, and which need no key")
    func scopes() async throws {
        try await Self.withRoutes { routes in
            let operations = OpenAPISpecification.shared.operations
            for route in routes {
                let operation = try #require(operations[.init(method: route.method, path: route.path)])
                let scopes = operation["x-scopes"]?.elements.compactMap { $0.text.flatMap(Scope.init(rawValue:)) }
                #expect(scopes == route.scopes, "\(route)")
                #expect((operation["security"] == []) == (route.scopes == nil), "\(route)")
            }
        }
    }

    @Test("describes every parameter of a path")
    func parameters() async throws {
        let specification = OpenAPISpecification.shared
        for (path, item) in specification.root["paths"]?.members ?? [:] {
            let described = item["parameters"]?.elements.map { specification.resolve($0) } ?? []
            let names = path.split(separator: "/").compactMap(OpenAPISpecification.parameter)
            #expect(described.compactMap { $0["name"]?.text }.sorted() == names.sorted(), "\(path)")
        }
    }

    @Test("knows every member of every request", arguments: RequestMembers.bySchema.keys.sorted())
    func requests(_ name: String) throws {
        let schema = try #require(OpenAPISpecification.shared.schema(name))
        let documented = Set((schema["properties"]?.members ?? [:]).keys)
        #expect(documented == Set(RequestMembers.bySchema[name] ?? []))
        #expect(schema["additionalProperties"] == .bool(false))
    }

    @Test("knows every code of the catalogue, in its order")
    func codes() throws {
        let codes = OpenAPISpecification.shared.schema("Problem")?["properties"]?["code"]?["enum"]?.elements
        #expect(codes?.compactMap(\.text) == ProblemCode.allCases.map(\.rawValue))
    }

    @Test("refers to nothing that it does not have")
    func references() throws {
        let specification = OpenAPISpecification.shared
        let pattern = try Regex(##"\$ref: "(#/[^"]+)""##)
        let references = specification.text.matches(of: pattern).compactMap { $0.output[1].substring.map(String.init) }
        #expect(references.count > 50)
        for reference in Set(references) {
            #expect(specification.resolve(["$ref": .string(reference)]) != .null, "\(reference)")
        }
    }

    @Test("has examples that the API accepts")
    func examples() async throws {
        try await withAPI { api async throws in
            try await api.register("phone", token: 1)
            try await api.call(.put, "/v1/apps/\(TestAPI.app)/topics/news")
            let operations = OpenAPISpecification.shared.operations
            for (operation, description) in operations {
                let examples = description["requestBody"]?["content"]?["application/json"]?["examples"]?.members ?? [:]
                for (name, example) in examples where name != "certificate" {
                    let path = operation.path.replacing("{app}", with: TestAPI.app.rawValue)
                        .replacing("{topic}", with: "news")
                    let body = String(decoding: try #require(example["value"]).json(), as: UTF8.self)
                    let answer = try await api.call(.post, path, body)
                    #expect((200..<300).contains(answer.status), "\(operation) \(name): \(answer.text)")
                }
            }
        }
    }

    @Test("is served as it stands in docs/openapi.yaml")
    func served() async throws {
        try await withAPI { api async throws in
            let answer = try await api.call(.get, "/openapi.yaml", key: "")
            #expect(answer.headers[.contentType] == "application/yaml")
            #expect(answer.text == OpenAPISpecification.shared.text)
        }
    }
}
