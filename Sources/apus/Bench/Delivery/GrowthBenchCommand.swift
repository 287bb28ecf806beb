// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import Foundation

/// What a notification costs with more and more devices.
struct GrowthBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "growth",
        abstract: "What a notification of a campaign costs the server at 100,000, 1,000,000 and 10,000,000 devices."
    )

    /// How many notifications a round has at least, so that what a process does once, such as connecting, weighs alike.
    private static let notifications = 1_000_000

    @Option(help: "How often each size is measured; the medians count. At least 3.")
    var rounds = 3

    @Option(help: "The sizes, measured in turn.")
    var sizes = [100_000, 1_000_000, 10_000_000]

    @OptionGroup var output: OutputArguments

    private struct Report: Encodable {
        struct Size: Encodable {
            var devices: Int
            var seconds: Double
            var perSecond: Double
            var cpuMicroseconds: Double
            var residentMiB: Double

            private enum CodingKeys: String, CodingKey {
                case devices, seconds
                case perSecond = "per_s"
                case cpuMicroseconds = "cpu_us"
                case residentMiB = "rss_mb"
            }

            init(devices: Int, rounds: [MeasuredCampaign]) {
                self.devices = devices
                self.seconds = rounds.map(\.seconds).median.rounded(toPlaces: 2)
                self.perSecond = rounds.map(\.perSecond).median.rounded()
                self.cpuMicroseconds = rounds.map(\.cpuMicroseconds).median.rounded(toPlaces: 2)
                self.residentMiB = (rounds.map(\.peakMebibytes).max() ?? 0).rounded(toPlaces: 1)
            }
        }

        var sizes: [Size]
        /// The dearest size's CPU for a notification over the cheapest one's.
        var ratio: Double
    }

    func validate() throws {
        guard self.rounds >= 3 else { throw ValidationError("--rounds is at least 3; got \(self.rounds).") }
        guard self.sizes.count > 1 else { throw ValidationError("--sizes names at least 2 sizes.") }
    }

    func run() async throws {
        try self.report(
            try await BenchDirectory.with { directory in
                var stores: [PreparedStore] = []
                for devices in self.sizes {
                    // Every token is good: bad ones would cost the first of several campaigns more than those after it.
                    stores.append(try await PreparedStore.make(devices: devices, badRate: 0, in: directory))
                }
                return zip(self.sizes, try await self.measure(stores)).map(Report.Size.init)
            }
        )
    }

    /// Measures every size in each round, so that a machine that grows slower or faster does so for all of them.
    ///
    /// - Parameter stores: the stores, one for each of ``sizes``.
    /// - Returns: the rounds of each store.
    /// - Throws: what a campaign throws.
    private func measure(_ stores: [PreparedStore]) async throws -> [[MeasuredCampaign]] {
        var measured = stores.map { _ in [MeasuredCampaign]() }
        for round in 1...self.rounds {
            for (index, devices) in self.sizes.enumerated() {
                let campaign = try await Self.measure(stores[index], devices: devices)
                measured[index].append(campaign)
                Console.note(
                    "\(devices) devices, round \(round): \(campaign.cpuMicroseconds.rounded(toPlaces: 2)) us"
                )
            }
        }
        return measured
    }

    /// Sends one campaign after the other to all devices of a store, until a round is as long as it has to be.
    private static func measure(_ prepared: PreparedStore, devices: Int) async throws -> MeasuredCampaign {
        try await BenchStage.with(prepared) { bench in
            var campaigns: [MeasuredCampaign] = []
            for _ in 0..<max(1, Self.notifications / devices) {
                campaigns.append(try await MeasuredCampaign.run(on: bench))
            }
            return MeasuredCampaign(oneAfterTheOther: campaigns)
        }
    }

    private func report(_ sizes: [Report.Size]) throws {
        let costs = sizes.map(\.cpuMicroseconds)
        let ratio = (costs.max() ?? 0) / max(costs.min() ?? 0, .leastNonzeroMagnitude)
        let report = Report(sizes: sizes, ratio: ratio.rounded(toPlaces: 3))
        if self.output.json { return try Console.json(report) }
        for size in sizes {
            Console.out("\(size.devices) devices  \(size.cpuMicroseconds) us CPU each, \(Int(size.perSecond))/s")
        }
        Console.out("ratio  \(report.ratio)")
    }
}
