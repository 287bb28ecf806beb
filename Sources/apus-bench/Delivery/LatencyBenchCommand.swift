// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import ArgumentParser
import CommandLineSupport
import Foundation
import Synchronization

/// Urgent notifications to one device each, alone and during a campaign.
struct LatencyBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "latency",
        abstract: "Single urgent sends until their outcome is known: alone, and during a campaign."
    )

    @OptionGroup var size: DeliveryBenchArguments

    @Option(help: "How many such sends begin in a second.")
    var rate = 100

    @Option(help: "Maximum notifications per second of the campaign. Default: no limit.")
    var throttle: Int?

    /// For how long urgent notifications are sent alone.
    private static let secondsAlone = 8

    private struct Round: Sendable {
        let alone: Percentiles
        let times: Percentiles
        let campaignAlone: CampaignMeasurement
        let campaign: CampaignMeasurement

        var ratio: Double { self.times.value(at: 0.99) / self.alone.value(at: 0.99) }
    }

    private struct Report: Encodable {
        var devices: Int
        var sends: Int
        var p50Ms: Double
        var p99Ms: Double
        var p999Ms: Double
        var aloneP99Ms: Double
        var p99Ratio: Double
        var campaignPerS: Double
        var campaignAlonePerS: Double
        var campaignRatio: Double

        private enum CodingKeys: String, CodingKey {
            case devices, sends, p50Ms, p99Ms, aloneP99Ms, p99Ratio, campaignPerS, campaignAlonePerS, campaignRatio
            case p999Ms = "p99_9_ms"
        }
    }

    func validate() throws { try self.check("--rate", self.rate, in: 1...10_000) }

    func run() async throws {
        let report = try await BenchDirectory.with { directory in
            let prepared = try await PreparedStore.make(devices: self.size.devices, in: directory)
            let rounds = try await self.size.rounds.measure { round in
                let campaignAlone = try await BenchmarkEnvironment.with(prepared) { bench in
                    try await CampaignMeasurement.run(on: bench, ratePerSecond: self.throttle)
                }
                let measured = try await BenchmarkEnvironment.with(prepared) { bench in
                    try await self.measure(bench, campaignAlone)
                }
                let (p99, alone) = (measured.times.value(at: 0.99), measured.alone.value(at: 0.99))
                Console.note("round \(round): p99 \(p99) ms, alone \(alone) ms")
                let rates = (measured.campaign.perSecond, campaignAlone.perSecond)
                Console.note("round \(round): campaign \(Int(rates.0))/s, alone \(Int(rates.1))/s")
                return measured
            }
            func median(at share: Double) -> Double {
                rounds.map { $0.times.value(at: share) }.median.rounded(toPlaces: 2)
            }
            return Report(
                devices: self.size.devices,
                sends: rounds.reduce(0) { $0 + $1.times.count },
                p50Ms: median(at: 0.5),
                p99Ms: median(at: 0.99),
                p999Ms: median(at: 0.999),
                aloneP99Ms: rounds.map { $0.alone.value(at: 0.99) }.median.rounded(toPlaces: 2),
                p99Ratio: rounds.map(\.ratio).median.rounded(toPlaces: 2),
                campaignPerS: rounds.map(\.campaign.perSecond).median.rounded(),
                campaignAlonePerS: rounds.map(\.campaignAlone.perSecond).median.rounded(),
                campaignRatio: rounds.map { $0.campaign.perSecond / $0.campaignAlone.perSecond }.median
                    .rounded(toPlaces: 3)
            )
        }
        if self.size.rounds.output.json { return try Console.report(report) }
        Console.out("p50 \(report.p50Ms), p99 \(report.p99Ms), p99.9 \(report.p999Ms) ms of \(report.sends) sends")
        Console.out("during a campaign of \(Int(report.campaignPerS))/s, \(report.campaignRatio) of its rate alone")
        Console.out("p99 alone \(report.aloneP99Ms) ms; during the campaign \(report.p99Ratio) times as long")
    }

    private func measure(_ bench: BenchmarkEnvironment, _ campaignAlone: CampaignMeasurement) async throws -> Round {
        let tokens = bench.population.tokens
        let valid = tokens.indices.lazy.filter { tokens.standing($0) == .valid }.prefix(10_000).map { tokens[$0] }
        let targets = Array(valid)
        // The connections to APNs and from this process are open before anything is measured.
        for token in targets.prefix(20) { _ = try await self.send(to: token, on: bench) }
        let end = ContinuousClock.now + .seconds(Self.secondsAlone)
        let alone = try await self.sendSingly(to: targets, on: bench) { ContinuousClock.now < end }
        let isDone = Atomic(false)
        async let times = self.sendSingly(to: targets, on: bench) { !isDone.load(ordering: .relaxed) }
        let campaign = try await CampaignMeasurement.run(on: bench, ratePerSecond: self.throttle)
        isDone.store(true, ordering: .relaxed)
        return Round(
            alone: Percentiles(alone),
            times: Percentiles(try await times),
            campaignAlone: campaignAlone,
            campaign: campaign
        )
    }

    /// Starts a send at every tick, without waiting for the previous response.
    private func sendSingly(
        to tokens: [String],
        on bench: BenchmarkEnvironment,
        while goesOn: () -> Bool
    ) async throws -> [Double] {
        try await withThrowingTaskGroup(of: Double.self) { group in
            let start = ContinuousClock.now
            var number = 0
            while goesOn() {
                let token = tokens[number % tokens.count]
                group.addTask { try await self.send(to: token, on: bench) }
                number += 1
                try await Task.sleep(until: start + .seconds(1) * number / self.rate, clock: .continuous)
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Sends one, and waits for its outcome.
    ///
    /// Returns the milliseconds.
    private func send(to token: String, on bench: BenchmarkEnvironment) async throws -> Double {
        let body = BenchNotification.body(to: [token])
        let path = "/v1/apps/\(bench.app)/notifications?wait=true"
        let taken = try await ContinuousClock().measure {
            let answer = try await bench.stage.api.call(.post, path, body: body)
            guard answer.text.contains("delivered") else {
                throw CommandError("bad_run", "An urgent notification was not delivered: \(answer.text)")
            }
        }
        return taken / .milliseconds(1)
    }
}
