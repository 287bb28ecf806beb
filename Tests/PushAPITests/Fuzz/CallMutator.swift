// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import HTTPTypes

/// Changes requests to the API at random: the body, the path, the query, the headers or the method.
struct CallMutator {
    /// Segments of paths that cannot be decoded, or that clients and proxies resolve.
    private static let segments = ["%", "%zz", "%ff", "%C0%80", "%2e%2e", "%00", "%F0%9F%8D%A3", "*", "."]

    private static let mediaTypes = [
        "application/json; charset=utf-8", "APPLICATION/JSON", "text/plain", "application/x-ndjson", "text/csv", "",
        "/", "application/x-www-form-urlencoded",
    ]

    private let specification = OpenAPISpecification.shared
    private let cursors: [String]
    private var json: JSONMutator

    /// A mutator that also sends these cursors, and changes of them.
    init(_ random: SeededRandom, cursors: [String]) {
        self.json = JSONMutator(random, donors: FuzzScript.shared.donors)
        self.cursors = cursors
    }

    /// A changed request; `request` is that of the call.
    mutating func mutate(_ request: FuzzRequest, of call: FuzzScript.Call) -> FuzzRequest {
        var request = request
        let operation = self.specification.operation(request.method, request.path)
        if self.chance(10) { self.changeHeaders(&request) }
        if self.chance(60) { request.method = self.pick(["GET", "POST", "PUT", "PATCH", "DELETE"]) }
        let hasBody = request.body != nil
        if self.chance(hasBody ? 8 : 3) { self.changePath(&request, operation?.key.path) }
        if self.chance(hasBody ? 8 : 2) { self.changeQuery(&request, operation?.value) }
        switch call.body {
        case .none: if self.chance(6) { request.body = self.json.bytes(FuzzedText.json(using: &self.json.random)) }
        case .json(let body):
            let document = self.document(body, request.body, operation?.value)
            request.body = self.json.bytes(self.json.mutate(document, changes: 0...3).written)
        case .lines, .text: request.body = self.lines(request.body ?? [])
        }
        return request
    }

    /// A valid body of an operation: that of the call, an example, or one that is made from the schema.
    private mutating func document(_ body: JSONValue, _ filled: [UInt8]?, _ operation: JSONValue?) -> FuzzedJSON {
        if let operation, let content = self.specification.jsonBody(of: operation) {
            let example = self.specification.examples(of: operation).first
            if self.chance(8), let example { return FuzzedJSON(example) }
            if self.chance(3), let schema = content["schema"] {
                var sample = SchemaSample(self.json.random)
                let value = sample.value(schema)
                self.json.random = sample.random
                return FuzzedJSON(value)
            }
        }
        return FuzzedJSON(filled.flatMap { try? JSONValue(json: $0) } ?? body)
    }

    /// Lines of which some are changed.
    private mutating func lines(_ body: [UInt8]) -> [UInt8] {
        var lines = String(decoding: body, as: UTF8.self).split(separator: "\n").map(String.init)
        for index in lines.indices where self.chance(2) {
            if let value = try? JSONValue(json: Array(lines[index].utf8)) {
                lines[index] = self.json.mutate(FuzzedJSON(value)).written
            } else {
                lines[index] = FuzzedText.changed(lines[index], using: &self.json.random)
            }
        }
        return self.json.bytes(lines.joined(separator: self.chance(10) ? "\r\n" : "\n"))
    }

    /// Replaces a segment, in most cases one that is a parameter of the route.
    private mutating func changePath(_ request: inout FuzzRequest, _ template: String?) {
        let query = request.path.drop { $0 != "?" }
        var segments = request.path.prefix { $0 != "?" }.split(separator: "/").map(String.init)
        let parts = (template ?? "").split(separator: "/")
        var places = parts.indices.filter { parts[$0].hasPrefix("{") && parts[$0] != "{app}" }
        if places.isEmpty || self.chance(6) { places = Array(segments.indices) }
        guard let place = places.randomElement(using: &self.json.random), place < segments.count else { return }
        let suffix = parts.indices.contains(place) ? parts[place].drop { $0 != "}" }.dropFirst() : ""
        let segment =
            self.chance(8)
            ? self.pick(Self.segments) : FuzzedText.escape(FuzzedText.text(using: &self.json.random))
        segments[place] = segment + (self.chance(10) ? "" : suffix)
        request.path = "/" + segments.joined(separator: "/") + query
    }

    /// Adds parameters of the operation, or others, to the query.
    private mutating func changeQuery(_ request: inout FuzzRequest, _ operation: JSONValue?) {
        let described = operation?["parameters"]?.elements.map { self.specification.resolve($0) } ?? []
        var parameters = described.filter { $0["in"] == "query" }
        parameters += ["limit", "cursor", "wait", "dryRun"].map { name -> JSONValue in ["name": .string(name)] }
        for _ in 0..<Int.random(in: 1...3, using: &self.json.random) {
            // The parameters of the operation are more interesting than unknown ones.
            let count = self.chance(6) ? parameters.count : max(1, parameters.count - 4)
            let parameter = parameters[Int.random(in: 0..<count, using: &self.json.random)]
            let name = parameter["name"]?.text ?? ""
            let value = self.value(of: name, self.specification.resolve(parameter["schema"] ?? .null))
            request.path += request.path.contains("?") ? "&" : "?"
            request.path += name + (self.chance(20) ? "" : "=" + value)
        }
    }

    /// A value of a parameter, as it is written in a query.
    private mutating func value(of name: String, _ schema: JSONValue) -> String {
        if name == "cursor", let cursor = self.cursors.randomElement(using: &self.json.random), !self.chance(4) {
            let text = self.chance(2) ? cursor : FuzzedText.changed(cursor, using: &self.json.random)
            return FuzzedText.escape(text)
        }
        if self.chance(4) { return FuzzedText.escape(FuzzedText.text(using: &self.json.random)) }
        switch schema["type"]?.text {
        case "integer": return self.chance(2) ? self.pick(["1", "2", "100", "1000"]) : self.pick(FuzzedText.numbers)
        case "boolean": return self.pick(["true", "false"])
        default:
            let values = schema["enum"]?.elements.compactMap(\.text) ?? []
            return values.isEmpty ? FuzzedText.escape(self.pick(FuzzedText.texts)) : self.pick(values)
        }
    }

    private mutating func changeHeaders(_ request: inout FuzzRequest) {
        switch Int.random(in: 0..<3, using: &self.json.random) {
        case 0:
            guard let name = HTTPField.Name("Idempotency-Key") else { return }
            request.headers[name] = self.pick(["parcel", "goal", String(repeating: "k", count: 256), "", "a b", "é"])
        case 1: request.headers[.contentType] = self.pick(Self.mediaTypes)
        default: request.headers[.contentEncoding] = self.pick(["gzip", "identity", "", "x"])
        }
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        FuzzedText.pick(elements, using: &self.json.random)
    }

    private mutating func chance(_ count: Int) -> Bool { FuzzedText.chance(count, using: &self.json.random) }
}
