// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import ArgumentParser
import Foundation

/// `apus bench activities`: an update of each of 100,000 running activities, in calls of 1,000.
struct ActivitiesBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "activities",
        abstract: "One update of each of 100,000 running Live Activities, until the last outcome is settled."
    )

    /// How many updates of each activity follow upon one another where it is only looked at the order.
    private static let burst = 3

    @Option(help: "How often it is measured; the medians count. At least 3.")
    var rounds = 3

    @Option(help: "How many activities run.")
    var activities = 100_000

    @Option(help: "A PostgreSQL server's URL: the store is a database of it, made by psql. A file unless given.")
    var storeURL: String?

    @OptionGroup var output: OutputArguments

    private struct Round {
        let seconds: Double
        let cpuSeconds: Double
        let peakMebibytes: Double
        let burstSent: Int
        let late: Int
        let missing: Int
    }

    private struct Report: Encodable {
        var activities: Int
        var seconds: Double
        var perSecond: Double
        var cpuMicroseconds: Double
        var residentMiB: Double
        var inOrder: Bool
        var missing: Int
        var burstUpdates: Int
        var burstSent: Int
        var rounds: [Double]

        private enum CodingKeys: String, CodingKey {
            case activities, seconds, missing
            case perSecond = "per_s"
            case cpuMicroseconds = "cpu_us"
            case residentMiB = "rss_mb"
            case inOrder = "in_order"
            case burstUpdates = "burst_updates"
            case burstSent = "burst_sent"
            case rounds = "rounds_seconds"
        }
    }

    func validate() throws {
        guard self.rounds >= 3 else { throw ValidationError("--rounds is at least 3; got \(self.rounds).") }
        guard (1000...10_000_000).contains(self.activities) else {
            throw ValidationError("--activities is from 1000 to 10000000; got \(self.activities).")
        }
    }

    func run() async throws {
        let population = try ActivityPopulation(count: self.activities)
        let rounds = try await BenchDirectory.with { directory in
            let prepared = try await StoreTemplate.make("rides-\(self.activities)", in: directory, url: self.storeURL) {
                try await population.fill($0)
            }
            var rounds: [Round] = []
            for round in 1...self.rounds {
                rounds.append(try await ActivityBenchStage.with(prepared, population) { try await self.measure($0) })
                Console.note("round \(round): \(rounds[round - 1].seconds.rounded(toPlaces: 2)) s")
            }
            return rounds
        }
        let seconds = rounds.map(\.seconds).median
        try self.tell(
            Report(
                activities: self.activities,
                seconds: seconds.rounded(toPlaces: 2),
                perSecond: (Double(self.activities) / seconds).rounded(),
                cpuMicroseconds: (rounds.map(\.cpuSeconds).median * 1e6 / Double(self.activities)).rounded(toPlaces: 1),
                residentMiB: (rounds.map(\.peakMebibytes).max() ?? 0).rounded(toPlaces: 1),
                inOrder: rounds.allSatisfy { $0.late == 0 },
                missing: rounds.map(\.missing).max() ?? 0,
                burstUpdates: Self.burst * self.activities,
                burstSent: Int(rounds.map { Double($0.burstSent) }.median),
                rounds: rounds.map { $0.seconds.rounded(toPlaces: 2) }
            )
        )
    }

    private func tell(_ report: Report) throws {
        if self.output.json { return try Console.json(report) }
        Console.out("activities  \(report.activities) updates in \(report.seconds) s, \(Int(report.perSecond))/s")
        Console.out("phones      \(report.inOrder ? "in order" : "NOT in order"), \(report.missing) missed")
        Console.out("server      \(report.residentMiB) MiB at most, \(report.cpuMicroseconds) us CPU each")
    }

    private func measure(_ stage: ActivityBenchStage) async throws -> Round {
        let feed = stage.simulator.deliveries()
        let bodies = MeasuredUpdates.bodies(rides: self.activities, update: 1)
        let cpu = ProcessTable.processorSeconds(of: stage.server)
        let measured = try await MeasuredUpdates.run(bodies, updates: self.activities, on: stage.api)
        let used = ProcessTable.processorSeconds(of: stage.server) - cpu
        // Now faster than it can be sent, so that much of it is overtaken.
        var sent = 0
        for update in 2..<2 + Self.burst {
            let bodies = MeasuredUpdates.bodies(rides: self.activities, update: update)
            sent += try await MeasuredUpdates.run(bodies, updates: self.activities, on: stage.api).sent
        }
        let arrivals = await self.arrivals(feed, until: stage.simulator)
        return Round(
            seconds: measured.seconds,
            cpuSeconds: used,
            peakMebibytes: ProcessTable.peakMebibytes(of: stage.server),
            burstSent: sent,
            late: arrivals.late,
            missing: self.activities - arrivals.phones
        )
    }

    /// Reads what has arrived so far.
    private func arrivals(_ feed: AsyncStream<Delivery>, until simulator: APNsSimulator) async -> ActivityArrivals {
        var arrivals = ActivityArrivals()
        let count = simulator.statistics.delivered
        for await arrival in feed {
            arrivals.take(arrival)
            if arrivals.count >= count { break }
        }
        return arrivals
    }
}
