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

    @Option(help: "How long there are faults. What is on its way then is waited for.")
    var minutes = 10.0

    @Option(help: "What decides the faults and their order: the same seed, the same ones. One by chance unless given.")
    var seed: UInt64?

    @Option(help: "A PostgreSQL server's URL: the store is a database of it, made by psql. A file unless given.")
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

    /// How long a notification is tried after it was accepted.
    ///
    /// Unit: seconds. That is longer than the pauses that faults cause: two failed probes of a credential take 70 seconds, and
    /// what APNs asks to send later is sent after a minute.
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
    var throttle: Int { max(1, self.audience / 10) }

    /// How many targets a process that delivers may have sent and not settled: half a second's worth of a campaign.
    ///
    /// That is much less than the default, so that what comes twice is a small part of everything.
    var window: Int { max(60, self.throttle / 2) }

    /// How many of them are sent and settled together.
    var slice: Int { self.window / 3 }
}
