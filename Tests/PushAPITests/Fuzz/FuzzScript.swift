// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import HTTPTypes

/// The calls of `Recorded/calls.json`: one valid call of each route at least, as input that fuzz suites change.
struct FuzzScript: Sendable {
    /// An element of the script.
    enum Element: Sendable {
        /// The work of a service that runs concurrently with the API, by its name.
        case step(String)
        case call(Call)
    }

    enum Body: Sendable {
        case none
        case json(JSONValue)
        case lines([JSONValue])
        case text(String)
    }

    struct Call: Sendable {
        var method: String
        /// The path with its query; `{name}` is a variable, here and in the headers and the body.
        var path: String
        var headers: [String: String]
        var body: Body
        /// Whether something has to settle batches while the call waits.
        var delivers: Bool
        /// Names of variables, with the paths of their values in the response.
        var kept: [String: String]
    }

    static let shared = FuzzScript()

    let elements: [Element]

    /// The members of all bodies and examples, which can replace those of one body.
    let donors: [FuzzedJSON.Member]

    /// The names of all variables.
    let variables: [String]

    private init() {
        let text = ProjectFiles.read("Tests/PushAPITests/Recorded/calls.json")
        let script = (try? JSONValue(json: Array(text.utf8)))?.elements ?? []
        let elements = script.compactMap { value -> Element? in
            if let step = value["step"]?.text { return .step(step) }
            return Call(value).map { Element.call($0) }
        }
        let calls = elements.compactMap { element -> Call? in
            if case .call(let call) = element { call } else { nil }
        }
        self.elements = elements
        self.variables = calls.flatMap(\.kept.keys).sorted() + ["certificate"]
        let bodies = calls.flatMap { call -> [JSONValue] in
            switch call.body {
            case .json(let body): [body]
            case .lines(let lines): lines
            case .none, .text: []
            }
        }
        self.donors = JSONMutator.members(of: (bodies + OpenAPISpecification.shared.examples).map { FuzzedJSON($0) })
    }
}

extension FuzzScript.Call {
    fileprivate init?(_ value: JSONValue) {
        let words = value["call"]?.text?.split(separator: " ") ?? []
        guard words.count == 2 else { return nil }
        self.method = String(words[0])
        self.path = String(words[1])
        self.headers = (value["headers"]?.members ?? [:]).compactMapValues(\.text)
        self.kept = (value["keep"]?.members ?? [:]).compactMapValues(\.text)
        self.delivers = value["option"]?.text == "deliver"
        if let text = value["text"]?.text {
            self.body = .text(text)
        } else if let lines = value["lines"] {
            self.body = .lines(lines.elements)
        } else if let body = value["body"] {
            self.body = .json(body)
        } else {
            self.body = .none
        }
    }
}

extension OpenAPISpecification {
    /// The operations in the order of their methods and paths.
    var sortedOperations: [(key: Operation, value: JSONValue)] {
        self.operations.sorted { ($0.key.method, $0.key.path) < ($1.key.method, $1.key.path) }
    }

    /// The examples of all request bodies.
    fileprivate var examples: [JSONValue] {
        self.sortedOperations.flatMap { self.examples(of: $0.value) }
    }

    /// The examples of the request body of an operation.
    func examples(of operation: JSONValue) -> [JSONValue] {
        let examples = self.jsonBody(of: operation)?["examples"]?.members ?? [:]
        return examples.sorted { $0.key < $1.key }.compactMap { $0.value["value"] }
    }

    /// The description of the JSON body of an operation; `nil` if it has none.
    func jsonBody(of operation: JSONValue) -> JSONValue? {
        operation["requestBody"].flatMap { self.resolve($0)["content"]?["application/json"] }
    }
}

/// A request of a fuzz suite.
struct FuzzRequest: Sendable {
    var method: String
    var path: String
    var headers: HTTPFields
    var body: [UInt8]?

    /// The request as text, for the file with the input.
    var text: String {
        let fields = self.headers.map { "\($0.name.canonicalName): \($0.value)\n" }.joined()
        return "\(self.method) \(self.path)\n\(fields)\n" + String(decoding: self.body ?? [], as: UTF8.self)
    }
}
