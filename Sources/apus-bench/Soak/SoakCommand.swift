// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport
import Foundation

/// All faults at random, for minutes, against every process of a server, with each notification accounted for.
struct SoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Everything goes wrong for minutes: nothing is lost, nothing accepted twice, no memory grows."
    )

    @Option(help: "Duration of the faults. The command then waits for the notifications in flight.")
    var minutes = 10.0

    @Option(help: "Seed of the faults and their order. Default: random.")
    var seed: UInt64?

    @Option(help: "URL of a PostgreSQL server, in which psql creates the store's database. Default: a SQLite file.")
    var storeURL: String?

    @Option(help: "The shell command that restarts that server; without it the server is never restarted.")
    var storeRestart: String?

    @Option(help: "How many processes deliver.")
    var workers = 2

    @Option(help: "How many devices a campaign has.")
    var devices = 1500

    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard self.minutes > 0, self.minutes <= 24 * 60 else {
            throw ValidationError("--minutes is above 0 and at most 1440; got \(self.minutes).")
        }
        try self.check("--workers", self.workers, in: 1...64)
        try self.check("--devices", self.devices, in: 10...100_000)
    }

    func run() async throws {
        let configuration = SoakConfiguration(
            seed: self.seed ?? UInt64.random(in: 0..<1_000_000_000),
            minutes: self.minutes,
            storeURL: self.storeURL,
            storeRestart: self.storeRestart,
            workers: self.workers,
            devices: self.devices
        )
        let directory = FileManager.default.temporaryDirectory.appending(path: "apus-soak-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let report = try await Soak(configuration: configuration, directory: directory).run()
        if report.ok {
            try? FileManager.default.removeItem(atPath: directory)
        } else {
            Console.note("The logs and the store are kept in \(directory)")
        }
        if self.output.json {
            try Console.report(report)
        } else {
            for line in report.lines { Console.out(line) }
        }
        guard report.ok else { throw ExitCode(1) }
    }
}

/// How a soak is done.
struct SoakConfiguration: Sendable {
    /// The app that everything is sent to.
    static let app = "com.example.soak"

    /// After how long without a sign of life a process is taken for dead.
    ///
    /// Unit: seconds.
    static let leaseSeconds = 5

    /// The time to live of a notification.
    ///
    /// Unit: seconds. Longer than the circuit breakers stay open after faults: two failed probes of a credential take
    /// 70 seconds, and a push that APNs asks to send later is sent after one minute.
    static let timeToLive = 180

    let seed: UInt64
    let minutes: Double
    let storeURL: String?
    let storeRestart: String?
    let workers: Int
    let devices: Int

    var storeName: String { self.storeURL == nil ? "sqlite" : "postgres" }

    /// How long there are faults.
    var duration: Duration { .seconds(self.minutes * 60) }

    /// How long everything may take to settle when the faults are over, before it counts as lost.
    var patience: Duration { .seconds(3 * Self.timeToLive + 300) }

    /// How many devices there are that APNs does not know.
    var strangers: Int { self.devices / 100 }

    /// How many devices a campaign is sent to.
    var audience: Int { self.devices + self.strangers }

    /// How many devices a campaign reaches in a second.
    var ratePerSecond: Int { max(1, self.audience / 10) }

    /// The maximum number of targets in flight per delivery process: half a second of a campaign.
    ///
    /// Far below the default, so that duplicates are a small part of all deliveries.
    var window: Int { max(60, self.ratePerSecond / 2) }

    /// How many of them are sent and settled together.
    var slice: Int { self.window / 3 }
}
