// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import ArgumentParser
import CommandLineSupport
import Foundation
import PushModel

/// `apus-bench singles`: calls that send one notification to one device each.
struct SinglesBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "singles",
        abstract: "One notification per call, until the last one is settled, compared with GET /healthz."
    )

    /// How many of the devices are sent to: `wrk` reads them before each measurement.
    private static let devicesSentTo = 30_000

    @OptionGroup var calls: CallBenchArguments

    private struct Round: Sendable {
        let healthz: Double
        let sends: CallBench.Measured
        let oneConnection: CallBench.Measured
        let waiting: CallBench.Measured
        let idempotent: CallBench.Measured
        let reads: CallBench.Measured
    }

    private struct Report: Encodable {
        var perS: Double
        var healthzPerS: Double
        var ratio: Double
        var p99Ms: Double
        var cpuUs: Double
        var cpuUsOneConnection: Double
        var waitRatio: Double
        var idempotentRatio: Double
        var contextSwitches: Double
        var readRatio: Double
    }

    func run() async throws {
        let (devices, url) = (self.calls.devices, self.calls.storeURL)
        let rounds = try await self.calls.rounds.measure(
            devices: devices,
            badRate: 0,
            isSealed: self.calls.sealed,
            storeURL: url
        ) { bench in
            try await self.measure(bench)
        }
        func ratio(_ part: (Round) -> CallBench.Measured) -> Double {
            rounds.map { part($0).perSecond / $0.healthz }.median.rounded(toPlaces: 3)
        }
        let sends = MedianCalls(rounds.map(\.sends))
        let report = Report(
            perS: sends.perSecond,
            healthzPerS: rounds.map(\.healthz).median.rounded(),
            ratio: ratio(\.sends),
            p99Ms: sends.p99,
            cpuUs: sends.cpuMicroseconds,
            cpuUsOneConnection: MedianCalls(rounds.map(\.oneConnection)).cpuMicroseconds,
            waitRatio: ratio(\.waiting),
            idempotentRatio: ratio(\.idempotent),
            contextSwitches: sends.contextSwitches,
            readRatio: ratio(\.reads)
        )
        if self.calls.rounds.output.json { return try Console.report(report) }
        Console.out("sends       \(Int(report.perS))/s, \(report.ratio) of /healthz, p99 \(report.p99Ms) ms")
        Console.out("server      \(report.cpuUs) us CPU each, \(report.contextSwitches) context switches")
        Console.out("wait=true   \(report.waitRatio) of /healthz; with Idempotency-Key \(report.idempotentRatio)")
        Console.out("one by one  \(report.cpuUsOneConnection) us CPU each")
        Console.out("reads       \(report.readRatio) of /healthz")
    }

    private func measure(_ bench: BenchmarkEnvironment) async throws -> Round {
        let population = bench.population
        // At random, and no device twice in a short run.
        let devices = (0..<population.configuration.count).shuffled().prefix(Self.devicesSentTo)
        let items = try devices.map { try population.installation($0).rawValue }
        let calls = CallBench(bench.stage, items: items, seconds: self.calls.seconds)
        let send = WRK.Call(
            method: "POST",
            path: "/v1/apps/\(bench.app)/notifications",
            headers: ["Content-Type": "application/json"],
            body: #"{"targets":{"devices":["{1}"]},"payload":\#(BenchNotification.payload)}"#
        )
        var idempotent = send
        idempotent.headers["Idempotency-Key"] = "key-{n}"
        var waiting = send
        waiting.path += "?wait=true"
        // The connection to APNs is open before anything is measured.
        _ = try await CallBench(bench.stage, items: items, seconds: 1).send("first sends", send, connections: 1)
        return Round(
            healthz: try await calls.healthz(),
            sends: try await calls.send("sends", send),
            oneConnection: try await calls.send("one connection", send, connections: 1),
            waiting: try await calls.send("wait=true", waiting),
            idempotent: try await calls.send("Idempotency-Key", idempotent),
            reads: try await calls.measure("reads", WRK.Call(path: "/v1/apps/\(bench.app)"))
        )
    }
}

/// How long calls are measured, and on how many devices.
struct CallBenchArguments: ParsableArguments {
    @OptionGroup var rounds: RoundsArguments

    @Option(help: "How many devices there are.")
    var devices = 100_000

    @Option(help: "Seconds per type of call.")
    var seconds = 3

    @Option(help: "URL of a PostgreSQL server, in which psql creates the store's database. Default: a SQLite file.")
    var storeURL: String?

    @Flag(help: "Seal device tokens and contents at rest.")
    var sealed = false

    func validate() throws {
        try self.check("--devices", self.devices, in: 1000...10_000_000)
        try self.check("--seconds", self.seconds, in: 1...30)
    }
}
