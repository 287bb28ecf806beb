// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// Everything that is handed to the server while there are faults: campaigns, streams and single notifications.
struct SoakTraffic: Sendable {
    private static let singlesInterval: Duration = .milliseconds(250)
    private static let streamsInterval: Duration = .seconds(10)
    private static let linesOfStream = 200

    let configuration: SoakConfiguration
    let client: SoakClient
    let tokens: [String]

    /// Hands over until `end`, and waits until everything is accepted and every stream has been told its outcomes.
    ///
    /// Of each kind there is at least one.
    /// - Returns: what became of the lines of streams.
    func run(until end: ContinuousClock.Instant) async -> [StreamLines.Answer] {
        async let campaigns: Void = self.sendCampaigns(until: end)
        async let singles: Void = self.sendSingles(until: end)
        let answers = await self.sendStreams(until: end)
        await campaigns
        await singles
        return answers
    }

    private var expiration: Int { Int(Date().timeIntervalSince1970) + self.configuration.timeToLive }

    /// Begins a campaign when the one before is planned to its end.
    private func sendCampaigns(until end: ContinuousClock.Instant) async {
        var number = 0
        repeat {
            number += 1
            await CampaignSend(number: number, configuration: self.configuration).run(self.client)
        } while ContinuousClock.now < end
    }

    private func sendSingles(until end: ContinuousClock.Instant) async {
        var dice = SeededDice(seed: self.configuration.seed, use: "singles")
        await withDiscardingTaskGroup { group in
            var number = 0
            repeat {
                number += 1
                let count = Int.random(in: 0..<10, using: &dice) == 0 ? min(20, self.tokens.count) : 1
                let first = Int.random(in: 0...(self.tokens.count - count), using: &dice)
                let send = SingleSend(
                    number: number,
                    tokens: Array(self.tokens[first..<first + count]),
                    waits: Bool.random(using: &dice),
                    repeats: Int.random(in: 0..<5, using: &dice) == 0,
                    expiration: self.expiration
                )
                group.addTask { await send.run(self.client) }
                try? await Task.sleep(for: Self.singlesInterval)
            } while ContinuousClock.now < end
        }
    }

    private func sendStreams(until end: ContinuousClock.Instant) async -> [StreamLines.Answer] {
        await withTaskGroup(of: [StreamLines.Answer].self) { group in
            var number = 0
            repeat {
                number += 1
                let name = "stream-\(number)"
                let start = number * Self.linesOfStream
                let lines = StreamLines(
                    name: name,
                    tokens: (start..<start + Self.linesOfStream).map { self.tokens[$0 % self.tokens.count] },
                    expiration: self.expiration
                )
                let stream = StreamSend(name: name, lines: lines)
                group.addTask {
                    await stream.run(self.client)
                    return Array(stream.outcomes.values)
                }
                try? await Task.sleep(for: Self.streamsInterval)
            } while ContinuousClock.now < end
            return await group.reduce(into: []) { $0 += $1 }
        }
    }
}
