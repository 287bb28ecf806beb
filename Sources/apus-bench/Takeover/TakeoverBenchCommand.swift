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

    @Option(help: "Number of targets of the notification that is partly sent when its process is killed.")
    var targets = 2000

    @Option(help: "The PostgreSQL server to measure in addition to SQLite.")
    var storeURL: String?

    @OptionGroup var output: OutputArguments

    private struct Report: Encodable {
        var sqliteMs: Double
        var postgresMs: Double?
        var soleProcessMs: Double
        var longestMs: Double
        var lost: Int
        var duplicates: Int
        var duplicatesOtherID: Int
    }

    func validate() throws {
        guard self.rounds >= 3 else { throw ValidationError("--rounds is at least 3; got \(self.rounds).") }
        try self.check("--targets", self.targets, in: 100...10_000)
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
            sqliteMs: median(sqlite),
            postgresMs: postgres.map(median),
            soleProcessMs: median(sole),
            longestMs: (all.map(\.milliseconds).max() ?? 0).rounded(),
            lost: all.map(\.lost).reduce(0, +),
            duplicates: all.map(\.duplicates).reduce(0, +),
            duplicatesOtherID: all.map(\.duplicatesOtherID).reduce(0, +)
        )
        if self.output.json { return try Console.report(report) }
        Console.out("another process continued after \(report.sqliteMs) ms on SQLite")
        if let postgres = report.postgresMs { Console.out("and after \(postgres) ms on PostgreSQL") }
        Console.out("the only process, started again, continued after \(report.soleProcessMs) ms")
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
