// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ArgumentParser
import CommandLineSupport
import Foundation
import PushModel
import PushStore

/// A whole campaign on this machine: server, store, and the simulator with every rule on.
struct CampaignBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaign",
        abstract: "A campaign to 1,000,000 devices from its start until all targets are settled, with 1 % invalid "
            + "tokens."
    )

    @OptionGroup var size: DeliveryBenchArguments

    @Option(help: "URL of a PostgreSQL server, in which psql creates the store's database. Default: a SQLite file.")
    var storeURL: String?

    private struct Report: Encodable {
        var devices: Int
        var seconds: Double
        var perS: Double
        var invalidExpected: Int
        var invalidMarked: Int
        var goodMarked: Int
        var rssMb: Double
        var cpuUs: Double
        var roundsSeconds: [Double]
    }

    func run() async throws {
        let population = try BenchPopulation(count: self.size.devices)
        var marks: [InvalidatedTokens] = []
        let rounds = try await self.size.rounds.measure(devices: self.size.devices, storeURL: self.storeURL) { bench in
            let measured = try await CampaignMeasurement.run(on: bench)
            Console.note("\(measured.seconds.rounded(toPlaces: 2)) s")
            return measured
        } check: { store in
            marks.append(try await store.open { try await InvalidatedTokens(of: population, in: $0) })
        }
        let seconds = rounds.map(\.seconds).median
        let report = Report(
            devices: self.size.devices,
            seconds: seconds.rounded(toPlaces: 2),
            perS: (Double(self.size.devices) / seconds).rounded(),
            invalidExpected: population.badCount,
            invalidMarked: marks.map(\.bad).min() ?? 0,
            goodMarked: marks.map(\.good).max() ?? 0,
            rssMb: (rounds.map(\.peakMebibytes).max() ?? 0).rounded(toPlaces: 1),
            cpuUs: rounds.map(\.cpuMicroseconds).median.rounded(toPlaces: 2),
            roundsSeconds: rounds.map { $0.seconds.rounded(toPlaces: 2) }
        )
        if self.size.rounds.output.json { return try Console.report(report) }
        Console.out("campaign  \(report.devices) devices in \(report.seconds) s, \(Int(report.perS))/s")
        Console.out(
            "bad       \(report.invalidMarked) of \(report.invalidExpected) marked, \(report.goodMarked) good ones"
        )
        Console.out("server    \(report.rssMb) MiB at most, \(report.cpuUs) us CPU each")
    }
}

/// The devices of a population that are marked in a store after a campaign.
struct InvalidatedTokens: Sendable {
    /// The number of devices with an invalid token that are marked invalid or suspect.
    let bad: Int

    /// The number of devices with a valid token that are marked.
    let good: Int

    /// Reads every device of the population.
    init(of population: BenchPopulation, in store: any DeviceStore) async throws {
        let tokens = population.tokens
        let app = try AppID(validating: population.configuration.app)
        let bad = Set(try tokens.indices.filter { tokens.standing($0) != .valid }.map(population.installation))
        var marked = (bad: 0, good: 0)
        try await store.eachDevice(of: app) { device in
            guard device.status != .active else { return }
            if bad.contains(device.installation) { marked.bad += 1 } else { marked.good += 1 }
        }
        self.bad = marked.bad
        self.good = marked.good
    }
}

/// A campaign to an APNs that is far away.
struct RoundTripBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rtt",
        abstract: "A campaign with a round trip of 50 ms between the server and APNs."
    )

    @OptionGroup var size: DeliveryBenchArguments

    @Option(help: "The round trip, in milliseconds.")
    var milliseconds = 50

    private struct Report: Encodable {
        var devices: Int
        var rttMs: Int
        var seconds: Double
        var perS: Double
        var roundsPerS: [Double]
    }

    func run() async throws {
        let rounds = try await self.size.rounds.measure(
            devices: self.size.devices,
            simulatorArguments: ["--latency", "\(self.milliseconds)"]
        ) { bench in
            try await CampaignMeasurement.run(on: bench)
        }
        let report = Report(
            devices: self.size.devices,
            rttMs: self.milliseconds,
            seconds: rounds.map(\.seconds).median.rounded(toPlaces: 2),
            perS: rounds.map(\.perSecond).median.rounded(),
            roundsPerS: rounds.map { $0.perSecond.rounded() }
        )
        if self.size.rounds.output.json { return try Console.report(report) }
        Console.out("\(Int(report.perS))/s with a round trip of \(report.rttMs) ms")
    }
}

/// The cost of a notification by the number of devices.
struct GrowthBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "growth",
        abstract: "The server's cost per campaign notification with 100,000, 1,000,000 and 10,000,000 devices."
    )

    /// The minimum number of notifications per round, so that one-time costs such as connecting have the same share.
    private static let notifications = 1_000_000

    @OptionGroup var rounds: RoundsArguments

    @Option(help: "The sizes, measured in turn.")
    var sizes = [100_000, 1_000_000, 10_000_000]

    private struct Report: Encodable {
        struct Size: Encodable {
            var devices: Int
            var seconds: Double
            var perS: Double
            var cpuUs: Double
            var rssMb: Double

            init(devices: Int, rounds: [CampaignMeasurement]) {
                self.devices = devices
                self.seconds = rounds.map(\.seconds).median.rounded(toPlaces: 2)
                self.perS = rounds.map(\.perSecond).median.rounded()
                self.cpuUs = rounds.map(\.cpuMicroseconds).median.rounded(toPlaces: 2)
                self.rssMb = (rounds.map(\.peakMebibytes).max() ?? 0).rounded(toPlaces: 1)
            }
        }

        var sizes: [Size]
        /// The dearest size's CPU for a notification over the cheapest one's.
        var ratio: Double
    }

    func validate() throws {
        guard self.sizes.count > 1 else { throw ValidationError("--sizes names at least 2 sizes.") }
    }

    func run() async throws {
        try self.report(
            try await BenchDirectory.with { directory in
                var stores: [PreparedStore] = []
                for devices in self.sizes {
                    // All tokens are valid: invalid ones would cost the first campaign more than the later ones.
                    stores.append(try await PreparedStore.make(devices: devices, badRate: 0, in: directory))
                }
                return zip(self.sizes, try await self.measure(stores)).map(Report.Size.init)
            }
        )
    }

    /// Measures every size in each round, so that a machine that grows slower or faster does so for all of them.
    ///
    /// `stores` has one store for each element of ``sizes``, in the same order.
    private func measure(_ stores: [PreparedStore]) async throws -> [[CampaignMeasurement]] {
        var measured = stores.map { _ in [CampaignMeasurement]() }
        for round in 1...self.rounds.count {
            for (index, devices) in self.sizes.enumerated() {
                let campaign = try await Self.measure(stores[index], devices: devices)
                measured[index].append(campaign)
                Console.note("\(devices) devices, round \(round): \(campaign.cpuMicroseconds.rounded(toPlaces: 2)) us")
            }
        }
        return measured
    }

    /// Sends one campaign after the other to all devices of a store, until a round is as long as it has to be.
    private static func measure(_ prepared: PreparedStore, devices: Int) async throws -> CampaignMeasurement {
        try await BenchmarkEnvironment.with(prepared) { bench in
            var campaigns: [CampaignMeasurement] = []
            for _ in 0..<max(1, Self.notifications / devices) {
                campaigns.append(try await CampaignMeasurement.run(on: bench))
            }
            return CampaignMeasurement(
                seconds: campaigns.map(\.seconds).reduce(0, +),
                delivered: campaigns.map(\.delivered).reduce(0, +),
                rejected: campaigns.map(\.rejected).reduce(0, +),
                cpuSeconds: campaigns.map(\.cpuSeconds).reduce(0, +),
                peakMebibytes: campaigns.map(\.peakMebibytes).max() ?? 0
            )
        }
    }

    private func report(_ sizes: [Report.Size]) throws {
        let costs = sizes.map(\.cpuUs)
        let ratio = (costs.max() ?? 0) / max(costs.min() ?? 0, .leastNonzeroMagnitude)
        let report = Report(sizes: sizes, ratio: ratio.rounded(toPlaces: 3))
        if self.rounds.output.json { return try Console.report(report) }
        for size in sizes {
            Console.out("\(size.devices) devices  \(size.cpuUs) us CPU each, \(Int(size.perS))/s")
        }
        Console.out("ratio  \(report.ratio)")
    }
}

/// How soon the audience of a campaign is known, and its first devices are sent to.
struct FilterBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "filter",
        abstract: "The estimate and the first page of an audience by tag, locale and app version."
    )

    private static let audience =
        #"{"and":[{"tag":{"name":"plan","equals":"pro"}},{"locale":"en"},{"appVersion":{"atLeast":"2.0.0"}}]}"#

    @OptionGroup var size: DeliveryBenchArguments

    private struct Report: Encodable {
        var devices: Int
        var audience: Int
        var estimateSeconds: Double
        var firstShardSeconds: Double
    }

    private struct Estimate: Decodable {
        let count: Int
    }

    func run() async throws {
        let rounds = try await self.size.rounds.measure(devices: self.size.devices) { try await self.measure($0) }
        let report = Report(
            devices: self.size.devices,
            audience: rounds[0].audience,
            estimateSeconds: rounds.map(\.estimateSeconds).median.rounded(toPlaces: 3),
            firstShardSeconds: rounds.map(\.firstShardSeconds).median.rounded(toPlaces: 3)
        )
        if self.size.rounds.output.json { return try Console.report(report) }
        Console.out("estimate     \(report.estimateSeconds) s: \(report.audience) of \(report.devices) devices")
        Console.out("first page    \(report.firstShardSeconds) s")
    }

    private func measure(_ bench: BenchmarkEnvironment) async throws -> Report {
        var count = 0
        let estimate = try await ContinuousClock().measure {
            let body = Data(#"{"audience":\#(Self.audience)}"#.utf8)
            let path = "\(bench.campaigns):estimate"
            let answer: Estimate = try await bench.stage.api.call(.post, path, body: body).decoded()
            count = answer.count
        }
        guard count > 0 else { throw CommandError("bad_run", "The audience is empty.") }
        let shard = try await bench.enqueueCampaign(to: Self.audience, count: 1, interval: .milliseconds(5))
        return Report(
            devices: self.size.devices,
            audience: count,
            estimateSeconds: estimate / .seconds(1),
            firstShardSeconds: shard / 1000
        )
    }
}
