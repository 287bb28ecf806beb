// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// Calls the HTTP API of an Apus server.
struct APIClient: Sendable {
    private let exchange: HTTPExchange

    /// A client of the server at `url`, with an API key.
    init(url: String, key: String) {
        self.exchange = HTTPExchange(url: url, bearer: key)
    }

    /// Makes one call.
    ///
    /// - Parameters:
    ///   - method: the HTTP method.
    ///   - path: the path with its query, percent-encoded.
    ///   - body: the JSON to send, or `nil`.
    ///   - headers: more fields of the request.
    /// - Returns: what the server answered with a status of success.
    /// - Throws: ``CommandFailure`` with the server's problem code and its words, or `.unreachable`.
    func call(
        _ method: HTTPVerb,
        _ path: String,
        body: Data? = nil,
        headers: [String: String] = [:]
    ) async throws -> APIAnswer {
        let answer = try await self.exchange.send(method, path, body: body, headers: headers)
        guard (200..<300).contains(answer.status) else {
            throw CommandFailure(problem: answer, of: "\(method.rawValue) \(path)")
        }
        return APIAnswer(body: answer.body)
    }

    /// Reads a stream of lines as they come, for as long as it goes on.
    ///
    /// - Parameters:
    ///   - path: the path with its query, percent-encoded.
    ///   - body: gets each line that is not empty.
    /// - Throws: ``CommandFailure`` with the server's problem code and its words, or `.unreachable`.
    func lines(of path: String, _ body: (String) throws -> Void) async throws {
        guard let answer = try await self.exchange.lines(of: path, as: "application/x-ndjson", body) else { return }
        throw CommandFailure(problem: answer, of: "GET \(path)")
    }

    /// Makes one call that sends a file, or takes one, of any length.
    ///
    /// - Parameters:
    ///   - method: the HTTP method.
    ///   - path: the path with its query, percent-encoded.
    ///   - upload: what is sent, or `nil`.
    ///   - take: is handed the answer piece by piece.
    /// - Throws: ``CommandFailure`` with the server's problem code and its words, `.unreachable`, `.interrupted`; what
    ///   `take` throws.
    func transfer(
        _ method: HTTPVerb,
        _ path: String,
        upload: Upload? = nil,
        _ take: (Data) throws -> Void
    ) async throws {
        let response = try await self.exchange.open(method, path, upload: upload)
        guard (200..<300).contains(response.status.code) else {
            let body = try await response.body.collect(upTo: 1 << 20)
            let answer = HTTPExchange.Answer(status: Int(response.status.code), body: Data(body.readableBytesView))
            throw CommandFailure(problem: answer, of: "\(method.rawValue) \(path)")
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
            throw CommandFailure("interrupted", "The connection broke before the end (\(error)).", cause: error)
        }
    }

    /// Makes one call that sends a value as JSON.
    func call(_ method: HTTPVerb, _ path: String, sending value: some Encodable & Sendable) async throws -> APIAnswer {
        try await self.call(method, path, body: try JSON.encoder.encode(value))
    }
}

/// What the server answered to a call that it carried out.
struct APIAnswer: Sendable {
    let body: Data

    /// The body as it came.
    var text: String { String(decoding: self.body, as: UTF8.self) }

    /// The body as a value.
    func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        do {
            return try JSON.decoder.decode(type, from: self.body)
        } catch {
            throw CommandFailure(
                "unexpected_answer",
                "The server's answer is not what this version of apus expects (\(error)). Are both of the same version?",
                cause: error
            )
        }
    }
}

extension CommandFailure {
    /// What a server's refusal means to the caller: its code, its words, and each fault with field, rule and value.
    init(problem answer: HTTPExchange.Answer, of call: String) {
        let mayPass = answer.status >= 500 || answer.status == 429
        guard let problem = try? JSON.decoder.decode(ProblemAnswer.self, from: answer.body) else {
            let message = "\(call) was answered with status \(answer.status)."
            self.init("http_\(answer.status)", message, mayPass: mayPass)
            return
        }
        var message = "\(problem.detail) (\(problem.code), status \(answer.status))"
        // A single fault is told by the detail already.
        let faults = problem.errors ?? []
        for fault in faults where faults.count > 1 {
            message += "\n  \(fault.field): expected \(fault.rule), got \(fault.value)"
        }
        if answer.status == 401 {
            message += "\n  Give an API key in APUS_API_KEY or --api-key; `apus keys create NAME --data DIR` makes one."
        }
        self.init(problem.code, message, mayPass: mayPass)
    }
}
