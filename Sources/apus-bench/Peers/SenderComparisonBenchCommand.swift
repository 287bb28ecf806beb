// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import ArgumentParser
import CommandLineSupport
import Foundation

/// Apus compared with senders on other libraries: the same notifications to the same simulator, one sender at a time.
struct SenderComparisonBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "peers",
        abstract: "Apus compared with other senders: the same notifications to the same simulator, one sender at a "
            + "time."
    )

    @OptionGroup var rounds: RoundsArguments

    @Option(help: "How many notifications each sender sends in a round.")
    var count = 20_000

    @Option(help: "The sender built on AsyncHTTPClient; dev/bench builds it from dev/peers.")
    var asyncHTTPClient: String?

    @Option(help: "A Python with aioapns and uvloop; dev/bench creates one.")
    var python: String?

    @Option(help: "The script that sends through aioapns; dev/bench names the one in dev/peers.")
    var aioapns: String?

    /// Each concurrency is tried with this fraction of the notifications.
    private static let attemptParts = 5

    /// A server that the benchmark does not build, with the rates of an earlier measurement on a machine with 2 cores.
    private struct CitedPeer: Encodable {
        let name: String
        let perSLow: Int
        let perSHigh: Int
    }

    private struct Report: Encodable {
        let count: Int
        let rounds: Int
        let cores: Int
        let senders: [SenderResult]
        let cited = [CitedPeer(name: "gaurun", perSLow: 11_000, perSHigh: 12_400)]
    }

    func validate() throws {
        try self.check("--count", self.count, in: 100...10_000_000)
        guard (self.python == nil) == (self.aioapns == nil) else {
            throw ValidationError("--python and --aioapns go together: the Python and the script that it runs.")
        }
    }

    func run() async throws {
        let population = try BenchPopulation(count: self.count, badRate: 0)
        let results = try await BenchmarkEnvironment.with(population) { bench in
            let notifications = WorkloadNotification.list(to: population.tokens)
            let part = Array(notifications.prefix(self.count / Self.attemptParts))
            return try await self.compare(
                whole: SenderTrial(notifications, named: "whole", app: bench.app, on: bench.stage),
                part: SenderTrial(part, named: "part", app: bench.app, on: bench.stage)
            )
        }
        try self.tell(Report(count: self.count, rounds: self.rounds.count, cores: CPUAffinity.count, senders: results))
    }

    private var peers: [Peer] {
        var peers = Peer.own
        if let path = self.asyncHTTPClient { peers.append(.asyncHTTPClient(executable: path)) }
        if let python = self.python, let script = self.aioapns { peers += Peer.aioapns(python: python, script: script) }
        return peers
    }

    /// Finds how many notifications in flight suit each sender best, and then measures all of them in each round.
    private func compare(whole: SenderTrial, part: SenderTrial) async throws -> [SenderResult] {
        let peers = self.peers
        var attempts: [[SenderResult.Attempt]] = []
        for peer in peers { attempts.append(try await Self.attempts(of: peer, with: part)) }
        var reports: [[WorkloadReport]] = Array(repeating: [], count: peers.count)
        for round in 0..<self.rounds.count {
            // Each round begins with another sender, so that none of them always comes first.
            for index in peers.indices.map({ ($0 + round) % peers.count }) {
                let report = try await whole.run(peers[index], concurrency: attempts[index].best?.concurrency)
                reports[index].append(report)
                Console.note("round \(round + 1): \(peers[index].name) \(Int(report.perSecond))/s")
            }
        }
        return peers.indices.map { SenderResult(of: peers[$0], attempts: attempts[$0], rounds: reports[$0]) }
    }

    private static func attempts(of peer: Peer, with trial: SenderTrial) async throws -> [SenderResult.Attempt] {
        var attempts: [SenderResult.Attempt] = []
        for concurrency in peer.concurrencies {
            let report = try await trial.run(peer, concurrency: concurrency)
            attempts.append(SenderResult.Attempt(concurrency: concurrency, perSecond: report.perSecond.rounded()))
        }
        if let best = attempts.best {
            Console.note("\(peer.name): best with \(best.concurrency) in flight, of \(peer.concurrencies)")
        }
        return attempts
    }

    private func tell(_ report: Report) throws {
        if self.rounds.output.json { return try Console.report(report) }
        var table = TextTable(heading: "sender", "notifications/s", "CPU s per 100,000", "peak MiB", "in flight")
        for sender in report.senders {
            table.add(
                sender.name,
                "\(Int(sender.perSecond))",
                "\(sender.cpuSeconds)",
                "\(sender.peakMiB)",
                sender.concurrency.map { "\($0)" } ?? "as it likes"
            )
        }
        for peer in report.cited {
            table.add("\(peer.name) (cited)", "\(peer.perSLow) to \(peer.perSHigh)", "", "", "")
        }
        for line in table.lines { Console.out(line) }
    }
}
