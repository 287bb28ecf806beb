// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// An urgent notification to one device or a few, handed over until the server has answered.
struct SingleSend: Sendable {
    let number: Int
    let tokens: [String]

    /// Whether the answer waits for the outcomes, so that a process may die meanwhile.
    let waits: Bool

    /// Whether it is handed over once more after it was accepted.
    let repeats: Bool

    /// Until when it is tried, in seconds since 1970.
    let expiration: Int

    private struct Accepted: Decodable {
        let id: String
        let targetCount: Int
    }

    /// Hands it over; a repetition has the same idempotency key, and so has to be answered with the same id.
    func run(_ client: SoakClient) async {
        guard let first = await self.handOver(client) else { return }
        client.record.change { state in
            state.accepted += first.targetCount
            if !state.singles.insert(first.id).inserted { state.acceptedTwice += 1 }
        }
        if first.targetCount != self.tokens.count {
            client.record.breach("single \(self.number) has \(first.targetCount) targets, not \(self.tokens.count)")
        }
        guard self.repeats, let second = await self.handOver(client), second.id != first.id else { return }
        client.record.change { $0.acceptedTwice += 1 }
        client.record.breach("single \(self.number) was accepted twice, as \(first.id) and \(second.id)")
    }

    private func handOver(_ client: SoakClient) async -> Accepted? {
        let tokens = self.tokens.map { "\"\($0)\"" }.joined(separator: ",")
        let payload = #"{"aps":{"alert":"single \#(self.number)"}}"#
        let body =
            #"{"targets":{"tokens":[\#(tokens)]},"payload":\#(payload),"lane":"urgent","expiration":\#(self.expiration)}"#
        guard
            let answer = await client.call(
                .post,
                "\(client.path)/notifications\(self.waits ? "?wait=true" : "")",
                body: Data(body.utf8),
                headers: ["idempotency-key": "single-\(self.number)"]
            )
        else {
            if client.isOver { client.record.breach("single \(self.number) was never accepted") }
            return nil
        }
        guard let accepted = try? JSON.decoder.decode(Accepted.self, from: answer.body) else {
            client.record.breach("single \(self.number) was answered with something else")
            return nil
        }
        return accepted
    }
}
