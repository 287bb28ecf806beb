// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import AsyncHTTPClient
package import Foundation
import NIOCore
import NIOHTTP1

/// Calls the HTTP API of an Apus server.
///
/// Every path is percent-encoded, and includes the query.
package struct APIClient: Sendable {
    private let exchange: HTTPJSONClient

    package init(url: String, key: String, tls: ClientTLS = .system) {
        self.exchange = HTTPJSONClient(url: url, bearer: key, tls: tls)
    }

    /// Sends one request.
    ///
    /// - Returns: the successful response of the server.
    /// - Throws: ``CommandError`` with the problem code and the text of the server, or `.unreachable`.
    package func call(
        _ method: HTTPVerb,
        _ path: String,
        body: Data? = nil,
        headers: [String: String] = [:]
    ) async throws -> APIResponse {
        let answer = try await self.exchange.send(method, path, body: body, headers: headers)
        guard (200..<300).contains(answer.status) else {
            throw CommandError(problem: answer, of: "\(method.rawValue) \(path)")
        }
        return APIResponse(body: answer.body)
    }

    /// Reads a stream of lines until it ends.
    ///
    /// `body` receives no empty lines.
    ///
    /// - Throws: ``CommandError`` with the problem code and the text of the server, or `.unreachable`.
    package func lines(of path: String, _ body: (String) throws -> Void) async throws {
        guard let answer = try await self.exchange.lines(of: path, as: "application/x-ndjson", body) else { return }
        throw CommandError(problem: answer, of: "GET \(path)")
    }

    /// Sends one request that uploads or downloads a file of any length.
    ///
    /// - Throws: ``CommandError`` with the problem code and the text of the server, `.unreachable`, `.interrupted`;
    ///   what `take` throws.
    package func transfer(
        _ method: HTTPVerb,
        _ path: String,
        upload: Upload? = nil,
        _ take: (Data) throws -> Void
    ) async throws {
        let response = try await self.exchange.open(method, path, upload: upload)
        guard (200..<300).contains(response.status.code) else {
            let body = try await response.body.collect(upTo: 1 << 20)
            let answer = HTTPJSONClient.Answer(status: Int(response.status.code), body: Data(body.readableBytesView))
            throw CommandError(problem: answer, of: "\(method.rawValue) \(path)")
        }
        var parts = response.body.makeAsyncIterator()
        while let part = try await Self.next(&parts) { try take(Data(part.readableBytesView)) }
    }

    private static func next(_ parts: inout HTTPClientResponse.Body.AsyncIterator) async throws -> ByteBuffer? {
        do {
            return try await parts.next()
        } catch let error as CancellationError {
            throw error
        } catch {
            throw CommandError("interrupted", "The connection broke before the end (\(error)).", cause: error)
        }
    }

    /// Sends one request with a value as JSON.
    package func call(
        _ method: HTTPVerb,
        _ path: String,
        sending value: some Encodable & Sendable
    ) async throws -> APIResponse {
        try await self.call(method, path, body: try JSON.encoder.encode(value))
    }
}

/// A successful response of the server.
package struct APIResponse: Sendable {
    package let body: Data

    package init(body: Data) { self.body = body }

    package var text: String { String(decoding: self.body, as: UTF8.self) }

    package func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        do {
            return try JSON.decoder.decode(type, from: self.body)
        } catch {
            throw CommandError(
                "unexpected_response",
                "The response of the server is not what this version of apus expects (\(error)). Are both of the same "
                    + "version?",
                cause: error
            )
        }
    }
}

extension CommandError {
    /// Creates the failure for an error response: its code, its text, and each error with expected and actual value.
    package init(problem answer: HTTPJSONClient.Answer, of call: String) {
        let mayPass = answer.status >= 500 || answer.status == 429
        guard let problem = try? JSON.decoder.decode(ProblemResponse.self, from: answer.body) else {
            let message = "\(call) was answered with status \(answer.status)."
            self.init("http_\(answer.status)", message, mayPass: mayPass)
            return
        }
        var message = "\(problem.detail) (\(problem.code), status \(answer.status))"
        // The detail contains a single error already.
        let faults = problem.errors ?? []
        for fault in faults where faults.count > 1 {
            message += "\n  \(fault.field): expected \(fault.expected), got \(fault.actual)"
        }
        if answer.status == 401 {
            message +=
                "\n  Give an API key in APUS_API_KEY or --api-key; "
                + "`apus keys create NAME --scope admin --data DIR` creates one."
        }
        self.init(problem.code, message, mayPass: mayPass)
    }
}

/// The displayed part of a problem.
struct ProblemResponse: Decodable {
    struct FieldError: Decodable {
        let field: String
        let expected: String
        let actual: String
    }

    let code: String
    let detail: String
    let errors: [FieldError]?
}

/// One page of a list; the name of the list's member is that of its elements.
///
/// Other members than the list and the cursor are ignored, because a newer server may add some.
package struct APIPage<Element: Decodable>: Decodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package let elements: [Element]
    package let nextCursor: String?

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let list = container.allKeys.first { key in
            key.stringValue != "nextCursor" && (try? container.nestedUnkeyedContainer(forKey: key)) != nil
        }
        guard let list else {
            let context = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "the list is missing")
            throw DecodingError.dataCorrupted(context)
        }
        self.elements = try container.decode([Element].self, forKey: list)
        self.nextCursor = try container.decodeIfPresent(String.self, forKey: Key(stringValue: "nextCursor"))
    }
}

extension APIClient {
    /// Reads a list to its end, page by page.
    ///
    /// The query of `path` has no cursor.
    ///
    /// - Throws: what a call throws, and what `body` throws.
    package func each<Element: Decodable>(
        of path: String,
        as type: Element.Type,
        _ body: (Element) throws -> Void
    ) async throws {
        try await self.eachPage(of: path, as: type) { _, elements in try elements.forEach(body) }
    }

    /// Reads a list to its end; `body` receives the response and the elements of each page.
    ///
    /// The query of `path` has no cursor.
    ///
    /// - Throws: what a call throws, and what `body` throws.
    package func eachPage<Element: Decodable>(
        of path: String,
        as type: Element.Type,
        _ body: (APIResponse, [Element]) throws -> Void
    ) async throws {
        var cursor: String?
        while true {
            let query = cursor.map { "&cursor=\($0.asPathSegment)" } ?? ""
            let separator = path.contains("?") ? "&" : "?"
            let answer = try await self.call(.get, "\(path)\(separator)limit=1000\(query)")
            let page = try answer.decoded(as: APIPage<Element>.self)
            try body(answer, page.elements)
            guard let next = page.nextCursor else { return }
            // With the cursor of the page before, the list would never end.
            guard next != cursor else {
                let message = "GET \(path): expected a new cursor in `nextCursor`, got that of the page before."
                throw CommandError("unexpected_response", message)
            }
            cursor = next
        }
    }
}

/// Drives a simulator through its control API.
package struct SimulatorClient: Sendable {
    /// The simulator's description of itself.
    package struct Info: Decodable, Sendable {
        package struct Counters: Decodable, Sendable {
            package let devices: Int
            package let delivered: Int
        }

        package let counters: Counters
    }

    private let exchange: HTTPJSONClient

    package init(url: String) {
        self.exchange = HTTPJSONClient(url: url)
    }

    package func info() async throws -> Info { try await self.call(.get, "/v1/info") }

    package func call<Value: Decodable>(_ method: HTTPVerb, _ path: String, body: Data? = nil) async throws -> Value {
        let answer = try await self.answer(method, path, body: body)
        return try APIResponse(body: answer.body).decoded(as: Value.self)
    }

    package func answer(_ method: HTTPVerb, _ path: String, body: Data?) async throws -> HTTPJSONClient.Answer {
        let answer = try await self.exchange.send(method, path, body: body)
        guard (200..<300).contains(answer.status) else {
            throw CommandError(problem: answer, of: "\(method.rawValue) \(path)")
        }
        return answer
    }
}
