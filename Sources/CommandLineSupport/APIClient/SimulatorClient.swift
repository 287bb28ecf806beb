// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation

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

    private let exchange: HTTPExchange

    package init(url: String) {
        self.exchange = HTTPExchange(url: url)
    }

    package func info() async throws -> Info { try await self.call(.get, "/v1/info") }

    package func call<Value: Decodable>(_ method: HTTPVerb, _ path: String, body: Data? = nil) async throws -> Value {
        let answer = try await self.answer(method, path, body: body)
        return try APIAnswer(body: answer.body).decoded(as: Value.self)
    }

    package func answer(_ method: HTTPVerb, _ path: String, body: Data?) async throws -> HTTPExchange.Answer {
        let answer = try await self.exchange.send(method, path, body: body)
        guard (200..<300).contains(answer.status) else {
            throw CommandFailure(problem: answer, of: "\(method.rawValue) \(path)")
        }
        return answer
    }
}
