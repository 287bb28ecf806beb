// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import ArgumentParser
import CommandLineSupport
import Foundation

/// Tokens in one request, sent directly, with the outcomes in the response.
struct DirectBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "direct",
        abstract: "100,000 tokens in one request, 10 of them bad, until every outcome is known."
    )

    /// The number of unregistered tokens.
    private static let badTokens = 10

    @OptionGroup var rounds: RoundsArguments

    @Option(help: "How many tokens a request has.")
    var tokens = 100_000

    private struct Report: Encodable {
        var tokens: Int
        var bad: Int
        var rejected: Int
        var seconds: Double
        var perS: Double
        var roundsSeconds: [Double]
    }

    private struct Answer: Decodable {
        struct Counts: Decodable {
            let delivered: Int?
            let rejected: [String: Int]?
        }

        let counts: Counts
    }

    func validate() throws { try self.check("--tokens", self.tokens, in: 100...100_000) }

    func run() async throws {
        let population = try BenchPopulation(count: self.tokens, badRate: 0)
        let body = BenchNotification.body(
            to: population.tokens.enumerated().map { index, token in
                index.isMultiple(of: self.tokens / Self.badTokens) ? Self.badToken(index) : token
            }
        )
        let seconds: [Double] = try await BenchmarkEnvironment.with(population) { bench in
            let path = "/v1/apps/\(bench.app)/notifications?wait=true"
            return try await self.rounds.measure { _ in
                let taken = try await ContinuousClock().measure {
                    let answer: Answer = try await bench.stage.api.call(.post, path, body: body).decoded()
                    let rejected = answer.counts.rejected?.values.reduce(0, +) ?? 0
                    guard rejected == Self.badTokens, answer.counts.delivered == self.tokens - rejected else {
                        throw CommandError("bad_run", "\(rejected) tokens were rejected, not \(Self.badTokens).")
                    }
                }
                return taken / .seconds(1)
            }
        }
        let report = Report(
            tokens: self.tokens,
            bad: Self.badTokens,
            rejected: Self.badTokens,
            seconds: seconds.median.rounded(toPlaces: 3),
            perS: (Double(self.tokens) / seconds.median).rounded(),
            roundsSeconds: seconds.map { $0.rounded(toPlaces: 3) }
        )
        if self.rounds.output.json { return try Console.report(report) }
        Console.out("\(report.tokens) tokens in \(report.seconds) s, \(report.rejected) rejected")
    }

    /// A token that the population does not have.
    private static func badToken(_ index: Int) -> String {
        let digits = String(index + 7, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }
}
