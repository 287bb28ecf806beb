// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import Foundation

/// `apus bench schedule`: how late what is planned is carried out, and what it costs to wait for it.
struct ScheduleBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        abstract: "10,000 transitions due in one second, from their time until their batches are stored."
    )

    @Option(help: "How often it is measured; the medians count. At least 3.")
    var rounds = 3

    @Option(help: "How many transitions are due in one second, each of an activity of its own.")
    var transitions = 10_000

    @Option(help: "How many transitions are planned for later while a scheduler has nothing to do.")
    var planned = 1_000_000

    @Option(help: "For how many seconds it has nothing to do, without these and with them.")
    var idleSeconds = 20

    @Option(help: "A PostgreSQL server's URL: the store is a database of it, made by psql. A file unless given.")
    var storeURL: String?

    @OptionGroup var output: OutputArguments

    private struct Report: Encodable {
        var transitions: Int
        var p50: Double
        var p99: Double
        var lost: Int
        var duplicated: Int
        /// All of them due at the same instant.
        var atOnceP50: Double
        var atOnceP99: Double
        var planned: Int
        /// Milliseconds of processor time in a second.
        var idle: Double
        var idleWithPlanned: Double
        var rounds: [Double]

        private enum CodingKeys: String, CodingKey {
            case transitions, lost, duplicated, planned
            case p50 = "p50_ms"
            case p99 = "p99_ms"
            case atOnceP50 = "at_once_p50_ms"
            case atOnceP99 = "at_once_p99_ms"
            case idle = "idle_cpu_ms_per_s"
            case idleWithPlanned = "idle_cpu_ms_per_s_with_planned"
            case rounds = "rounds_p99_ms"
        }
    }

    func validate() throws {
        guard self.rounds >= 3 else { throw ValidationError("--rounds is at least 3; got \(self.rounds).") }
        guard (100...100_000).contains(self.transitions) else {
            throw ValidationError("--transitions is from 100 to 100000; got \(self.transitions).")
        }
        guard (self.transitions...10_000_000).contains(self.planned) else {
            throw ValidationError("--planned is from --transitions to 10000000; got \(self.planned).")
        }
    }

    func run() async throws {
        let report = try await BenchDirectory.with { directory in
            let population = try ActivityPopulation(count: self.transitions)
            let name = "planned-\(self.transitions)"
            let template = try await StoreTemplate.make(name, in: directory, url: self.storeURL) { store in
                try await population.fill(store)
            }
            var spread: [MeasuredSchedule] = []
            var atOnce: [MeasuredSchedule] = []
            for round in 1...self.rounds {
                for (isSpread, place) in [(true, "spread"), (false, "at-once")] {
                    let measured = try await template.withCopy(at: "\(directory)/\(place)-\(round)") { store in
                        try await store.open { try await self.measure(isSpread, $0) }
                    }
                    if isSpread { spread.append(measured) } else { atOnce.append(measured) }
                    Console.note("round \(round), \(place): p99 \(measured.milliseconds.value(at: 0.99)) ms")
                }
            }
            let idle = try await template.withCopy(at: "\(directory)/idle") { store in
                try await store.open { store in
                    let without = try await IdleScheduler.cost(of: store, seconds: self.idleSeconds)
                    Console.note("planning \(self.planned) transitions")
                    let each = self.planned / self.transitions
                    try await IdleScheduler.plan(each, forEachOf: self.transitions, in: store)
                    return (without, try await IdleScheduler.cost(of: store, seconds: self.idleSeconds))
                }
            }
            return self.report(spread: spread, atOnce: atOnce, idle: idle)
        }
        if self.output.json { return try Console.json(report) }
        Console.out("p50 \(report.p50) ms, p99 \(report.p99) ms; \(report.lost) lost, \(report.duplicated) twice")
        Console.out("all at once: p50 \(report.atOnceP50) ms, p99 \(report.atOnceP99) ms")
        Console.out("idle \(report.idle) ms of a second, \(report.idleWithPlanned) ms with \(report.planned) planned")
    }

    private func measure(_ isSpread: Bool, _ store: any ScheduleStore) async throws -> MeasuredSchedule {
        try await MeasuredSchedule.run(self.transitions, isSpread: isSpread, in: store)
    }

    private func report(
        spread: [MeasuredSchedule],
        atOnce: [MeasuredSchedule],
        idle: (without: Double, with: Double)
    ) -> Report {
        func median(_ rounds: [MeasuredSchedule], at share: Double) -> Double {
            rounds.map { $0.milliseconds.value(at: share) }.median.rounded(toPlaces: 1)
        }
        return Report(
            transitions: self.transitions,
            p50: median(spread, at: 0.5),
            p99: median(spread, at: 0.99),
            lost: (spread + atOnce).map(\.lost).reduce(0, +),
            duplicated: (spread + atOnce).map(\.duplicated).reduce(0, +),
            atOnceP50: median(atOnce, at: 0.5),
            atOnceP99: median(atOnce, at: 0.99),
            planned: self.planned / self.transitions * self.transitions,
            idle: (1000 * idle.without).rounded(toPlaces: 2),
            idleWithPlanned: (1000 * idle.with).rounded(toPlaces: 2),
            rounds: spread.map { $0.milliseconds.value(at: 0.99).rounded(toPlaces: 1) }
        )
    }
}
