// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport

/// `apus-bench kills`: acknowledged single calls after many kills of the server.
struct KillsBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kills",
        abstract: "Kill a server while it is sent single notifications and registrations, and look for lost ones."
    )

    @Option(help: "How often the server is killed on each store.")
    var rounds = 100

    @Option(help: "The PostgreSQL server to test in addition to SQLite.")
    var storeURL: String?

    @OptionGroup var output: OutputArguments

    private struct Report: Encodable {
        var sqlite: KillTrial.Result
        var postgres: KillTrial.Result?
    }

    func validate() throws { try self.check("--rounds", self.rounds, in: 1...10_000) }

    func run() async throws {
        let trial = KillTrial(kills: self.rounds)
        Console.note("SQLite")
        var report = Report(sqlite: try await trial.run(url: nil))
        if let storeURL {
            Console.note("PostgreSQL")
            report.postgres = try await trial.run(url: storeURL)
        }
        if self.output.json {
            try Console.report(report)
        } else {
            self.report("SQLite", report.sqlite)
            report.postgres.map { self.report("PostgreSQL", $0) }
        }
        guard report.sqlite.isGood, report.postgres?.isGood ?? true else {
            throw CommandError("bad_run", "Acknowledged calls were lost, or sent under another apns-id.")
        }
    }

    private func report(_ store: String, _ result: KillTrial.Result) {
        Console.out("\(store): \(result.kills) kills, \(result.sends) sends, \(result.registrations) registrations")
        Console.out("  lost: \(result.lost) sends, the registrations of \(result.lostRegistrations) devices")
        if result.quarantined > 0 { Console.out("  \(result.quarantined) sends are quarantined") }
        Console.out("  \(result.duplicates) duplicates, \(result.duplicatesOtherID) under another ID")
        if result.otherDevice > 0 { Console.out("  \(result.otherDevice) arrived at another device") }
    }
}
