// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport
import Foundation

/// The time from the kill of a process that sends to the next push, from another process.
struct TakeoverBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "takeover",
        abstract: "Kill a process while it sends, until another one sends the rest."
    )

    @Option(help: "How many processes are killed on each store, and how many without another process. At least 3.")
    var rounds = 20

    @Option(help: "How many targets the notification has of which a part is sent when its process is killed.")
    var targets = 2000

    @Option(help: "The PostgreSQL server to measure beside SQLite.")
    var storeURL: String?

    @OptionGroup var output: OutputArguments

    private struct Report: Encodable {
        var sqlite: Double
        var postgres: Double?
        var soleProcess: Double
        var longest: Double
        var lost: Int
        var duplicates: Int
        var duplicatesOtherID: Int

        private enum CodingKeys: String, CodingKey {
            case sqlite = "sqlite_ms"
            case postgres = "postgres_ms"
            case soleProcess = "sole_process_ms"
            case longest = "longest_ms"
            case lost, duplicates
            case duplicatesOtherID = "duplicates_other_id"
        }
    }

    func validate() throws {
        guard self.rounds >= 3 else { throw ValidationError("--rounds is at least 3; got \(self.rounds).") }
        guard (100...10_000).contains(self.targets) else {
            throw ValidationError("--targets is from 100 to 10000; got \(self.targets).")
        }
    }

    func run() async throws {
        let sqlite = try await self.measure(hasSuccessor: true, url: nil)
        let sole = try await self.measure(hasSuccessor: false, url: nil)
        var all = sqlite + sole
        var postgres: [TakeoverRound.Result]?
        if let storeURL {
            let results = try await self.measure(hasSuccessor: true, url: storeURL)
            postgres = results
            all += results
        }
        func median(_ results: [TakeoverRound.Result]) -> Double { results.map(\.milliseconds).median.rounded() }
        let report = Report(
            sqlite: median(sqlite),
            postgres: postgres.map(median),
            soleProcess: median(sole),
            longest: (all.map(\.milliseconds).max() ?? 0).rounded(),
            lost: all.map(\.lost).reduce(0, +),
            duplicates: all.map(\.duplicates).reduce(0, +),
            duplicatesOtherID: all.map(\.duplicatesOtherID).reduce(0, +)
        )
        if self.output.json { return try Console.json(report) }
        Console.out("another process continued after \(report.sqlite) ms on SQLite")
        if let postgres = report.postgres { Console.out("and after \(postgres) ms on PostgreSQL") }
        Console.out("the only process, started again, continued after \(report.soleProcess) ms")
        Console.out(
            "\(report.lost) lost, \(report.duplicates) duplicates, \(report.duplicatesOtherID) under another ID"
        )
    }

    private func measure(hasSuccessor: Bool, url: String?) async throws -> [TakeoverRound.Result] {
        var results: [TakeoverRound.Result] = []
        for number in 1...self.rounds {
            results.append(try await TakeoverRound(targets: self.targets, hasSuccessor: hasSuccessor).run(url: url))
            let place = url == nil ? "SQLite" : "PostgreSQL"
            Console.note("\(place), round \(number): \(results.last?.milliseconds.rounded() ?? 0) ms")
        }
        return results
    }
}
