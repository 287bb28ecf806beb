// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import NIOCore

/// A client that retries at all API processes until it has a response.
struct SoakClient: Sendable {
    let fleet: SoakProcesses
    let record: SoakLog

    let deadline: ContinuousClock.Instant

    var path: String { "/v1/apps/\(SoakConfiguration.app)" }

    var isOver: Bool { ContinuousClock.now >= self.deadline || Task.isCancelled }

    /// Sends one request to one process.
    ///
    /// - Returns: the response; `nil` if there was none.
    func attempt(
        _ method: HTTPVerb,
        _ path: String,
        body: Data? = nil,
        headers: [String: String] = [:]
    ) async -> HTTPJSONClient.Answer? {
        guard let url = self.fleet.urls.randomElement() else { return nil }
        let exchange = HTTPJSONClient(url: url, bearer: self.fleet.key, timeout: .seconds(60))
        return try? await exchange.send(method, path, body: body, headers: headers)
    }

    /// Sends a repeatable request until it succeeds.
    ///
    /// - Returns: the response; `nil` after the timeout, or for a permanent error, which is a breach.
    func call(
        _ method: HTTPVerb,
        _ path: String,
        body: Data? = nil,
        headers: [String: String] = [:]
    ) async -> HTTPJSONClient.Answer? {
        while !self.isOver {
            if let answer = await self.attempt(method, path, body: body, headers: headers) {
                switch answer.status {
                case 200..<300: return answer
                case 400..<500 where answer.status != 429:
                    let text = String(decoding: answer.body.prefix(300), as: UTF8.self)
                    self.record.breach("\(method.rawValue) \(path) was refused: \(text)")
                    return nil
                default: break
                }
            }
            await self.pauseBeforeRetry()
        }
        return nil
    }

    /// Reads a value, and tries until it can be read.
    func read<Value: Decodable>(_ path: String, as type: Value.Type = Value.self) async -> Value? {
        guard let answer = await self.call(.get, path) else { return nil }
        do {
            return try JSON.decoder.decode(type, from: answer.body)
        } catch {
            self.record.breach("GET \(path) returned an invalid response: \(error)")
            return nil
        }
    }

    /// Waits a little, and counts the retry.
    func pauseBeforeRetry() async {
        self.record.change { $0.retries += 1 }
        try? await Task.sleep(for: .milliseconds(200))
    }
}
