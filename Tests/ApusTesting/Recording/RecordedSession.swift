// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// A scripted session against an HTTP server, whose responses are compared with a recording.
///
/// `calls.json` is the script, `answers.json` the recording. With `APUS_RECORD=1` in the environment the recording is
/// rewritten instead. An element of the script is a step of the test (`step`), or a call:
/// - `call`: method and path. `{name}` is a variable here, in the headers and in the body.
/// - `body`, `lines` or `text`: the body as JSON, as JSON lines or as text. `headers`: more request headers.
/// - `option`: a word for the function that performs the call.
/// - `keep`: variables, by the paths of their values in the response, such as `outcomes/0/id`. In the recording, `<name>`
///   replaces the value.
public struct RecordedSession {
    /// A call with its variables replaced.
    public struct Request: Sendable {
        /// The method.
        public var method: String
        /// The path with its query.
        public var path: String
        /// The headers.
        public var headers: [String: String]
        /// The body; `nil` if there is none.
        public var body: [UInt8]?
        /// The `option` of the call.
        public var option: String?
    }

    /// A response to a call.
    public struct Response: Sendable {
        let status: Int
        let headers: [String: String]
        let body: [UInt8]

        /// A response; the names of the headers are lower-case.
        public init(status: Int, headers: [String: String], body: [UInt8]) {
            self.status = status
            self.headers = headers
            self.body = body
        }
    }

    /// A script that cannot continue.
    private struct Failure: Error {
        let message: String
    }

    /// Headers that HTTP libraries set, and the random identifier of the request.
    private static let unrecordedHeaders: Set = [
        "connection", "content-length", "date", "server", "transfer-encoding", "x-request-id",
    ]

    private let folder: URL
    private let routes: [String]
    private var variables: [String: JSONValue]
    private var placeholders: Placeholders
    private var recorded: [JSONValue] = []
    private var covered: Set<String> = []

    /// Prepares a session.
    ///
    /// - Parameters:
    ///   - folder: the directory of `calls.json` and `answers.json`.
    ///   - routes: all routes of the server, such as `GET /v1/apps/{app}`.
    ///   - variables: the variables at the beginning; their values are recorded literally.
    ///   - random: a regular expression for texts that differ from run to run. Placeholders replace them.
    ///   - hidden: names of members whose values differ from run to run.
    /// - Throws: an error of the regular expression.
    public init(
        folder: URL,
        routes: [String],
        variables: [String: JSONValue] = [:],
        random: String,
        hidden: Set<String>
    ) throws {
        self.folder = folder
        self.routes = routes
        self.variables = variables
        self.placeholders = Placeholders(random: try Regex(random), hidden: hidden)
    }

    /// Runs the script, and compares the responses or records them.
    ///
    /// - Parameters:
    ///   - perform: sends a call.
    ///   - step: performs a step, and returns new variables.
    /// - Returns: what differs, a sentence for each call; empty if all is as recorded.
    /// - Throws: what `perform` and `step` throw, and errors of the files.
    public mutating func run(
        perform: (Request) async throws -> Response,
        step: (_ name: String, _ variables: [String: JSONValue]) async throws -> [String: JSONValue]
    ) async throws -> [String] {
        var findings: [String] = []
        do {
            for element in try self.read("calls.json") {
                if let name = element["step"]?.text {
                    for (name, value) in try await step(name, self.variables) { try self.keep(value, as: name) }
                } else {
                    let request = try self.request(element)
                    try self.record(element, request, try await perform(request))
                }
            }
            let missing = self.routes.filter { !self.covered.contains($0) }
            findings = missing.sorted().map { "No call of calls.json succeeds on the route \($0)." }
        } catch let failure as Failure {
            findings = [failure.message]
        }
        let text = "[\n" + self.recorded.map { "  " + $0.formatted(indent: 2) }.joined(separator: ",\n") + "\n]\n"
        if ProcessInfo.processInfo.environment["APUS_RECORD"] == "1" {
            try Data(text.utf8).write(to: self.folder.appending(path: "answers.json"))
            return findings + ["Recorded \(self.recorded.count) calls. Run without APUS_RECORD to compare them."]
        }
        let before = try self.read("answers.json")
        // A number may have another form in the file.
        guard case .array(let now) = try JSONValue(json: Array(text.utf8)) else { return findings }
        var differences = zip(before, now).compactMap { $1.firstDifference(from: $0, at: $1["call"]?.text ?? "") }
        if before.count != now.count { differences.append("\(now.count) calls, recorded are \(before.count)") }
        if differences.count > 10 { differences[10...] = ["\(differences.count - 10) more calls differ."] }
        return differences + findings
    }

    private func read(_ name: String) throws -> [JSONValue] {
        let data = try Data(contentsOf: self.folder.appending(path: name))
        guard case .array(let elements) = try JSONValue(json: Array(data)) else { return [] }
        return elements
    }

    // MARK: Calls

    private func request(_ element: JSONValue) throws -> Request {
        let words = element["call"]?.text.map { self.fill($0).split(separator: " ") } ?? []
        guard words.count == 2, !words[1].contains("{") else {
            throw Failure(message: "calls.json: no call, or with an unknown variable: \(element.line)")
        }
        var request = Request(method: String(words[0]), path: String(words[1]), headers: [:])
        request.option = element["option"]?.text
        if let text = element["text"]?.text {
            request.body = Array(self.fill(text).utf8)
        } else if case .array(let lines) = element["lines"] {
            request.body = try lines.flatMap { try self.fill($0).json() + Array("\n".utf8) }
            request.headers["content-type"] = "application/x-ndjson"
        } else if let body = element["body"] {
            request.body = try self.fill(body).json()
            request.headers["content-type"] = "application/json"
        }
        if case .object(let headers)? = element["headers"] {
            for (name, value) in headers { request.headers[name] = self.fill(value).text }
        }
        return request
    }

    private mutating func record(_ element: JSONValue, _ request: Request, _ response: Response) throws {
        let call = "\(request.method) \(request.path)"
        let (form, body) = Self.body(of: response)
        if case .object(let kept)? = element["keep"] {
            for (name, path) in kept {
                guard let value = path.text.flatMap({ body?.value(at: $0) }) else {
                    throw Failure(message: "\(call): no \(path.line) to keep in \(body?.line ?? "nothing")")
                }
                try self.keep(value, as: name)
            }
        }
        let headers = response.headers.filter { !Self.unrecordedHeaders.contains($0.key) }
        var entry: [String: JSONValue] = [
            "call": .string(call), "status": .integer(Int64(response.status)),
            "headers": .object(headers.mapValues { .string($0) }),
        ]
        entry["request"] = (element["body"] ?? element["lines"] ?? element["text"]).map { self.fill($0) }
        entry[form] = body
        self.recorded.append(self.placeholders.replace(in: .object(entry)))
        if response.status < 400, let route = self.route(of: request) { self.covered.insert(route) }
    }

    private mutating func keep(_ value: JSONValue, as name: String) throws {
        guard self.variables.updateValue(value, forKey: name) == nil else {
            throw Failure(message: "calls.json: the variable \(name) is set twice")
        }
        if let text = value.text { self.placeholders.add(text, "<\(name)>") }
    }

    private func fill(_ value: JSONValue) -> JSONValue {
        switch value {
        // The whole text: the variable need not be text.
        case .string(let text) where text.first == "{":
            self.variables[String(text.dropFirst().dropLast())] ?? .string(self.fill(text))
        case .string(let text): .string(self.fill(text))
        case .array(let elements): .array(elements.map { self.fill($0) })
        case .object(let members): .object(members.mapValues { self.fill($0) })
        default: value
        }
    }

    private func fill(_ text: String) -> String {
        guard text.contains("{") else { return text }
        return self.variables.reduce(text) { $0.replacing("{\($1.key)}", with: $1.value.text ?? $1.value.line) }
    }

    /// The body with the name of its form: JSON, JSON lines or lines of text.
    private static func body(of response: Response) -> (form: String, value: JSONValue?) {
        guard !response.body.isEmpty else { return ("body", nil) }
        let type = response.headers["content-type"] ?? ""
        if type.contains("/json") || type.contains("+json"), let value = try? JSONValue(json: response.body) {
            return ("body", value)
        }
        let text = String(decoding: response.body, as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard type.contains("json") else { return ("text", .array(lines.map { .string($0) })) }
        let values = lines.filter { !$0.isEmpty }.map { (try? JSONValue(json: Array($0.utf8))) ?? .string($0) }
        return ("lines", .array(values))
    }

    /// The route of a request: of those that match, the one with the longest fixed text.
    private func route(of request: Request) -> String? {
        let path = "\(request.method) \(request.path)".prefix { $0 != "?" }.split(separator: "/")
        let matching = self.routes.compactMap { route -> (route: String, length: Int)? in
            let segments = route.split(separator: "/").map {
                $0.split(separator: "}", omittingEmptySubsequences: false)
            }
            guard segments.count == path.count else { return nil }
            for (parts, segment) in zip(segments, path) {
                let end = parts.last ?? ""
                guard parts.count == 1 ? end == segment : segment.hasSuffix(end) else { return nil }
            }
            return (route, segments.reduce(0) { $0 + ($1.last?.count ?? 0) })
        }
        return matching.max { $0.length < $1.length }?.route
    }
}
