// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport
import Foundation

/// `apus-bench sns`: messages through the SNS endpoint, to single endpoints and to a topic of very many.
struct SNSBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sns",
        abstract: "Signed Publish calls to endpoints, and one to a topic of 1,000,000 devices."
    )

    /// How many devices there are where single endpoints are published to.
    private static let endpoints = 10_000

    @OptionGroup var size: DeliveryBenchArguments

    @Option(help: "For how many seconds endpoints are published to in a round.")
    var seconds = 3

    @Flag(help: "Leave out the message to the topic.")
    var endpointsOnly = false

    private struct Round: Sendable {
        let healthz: Double
        let calls: CallBench.Measured
    }

    private struct Report: Encodable {
        var calls: Int
        var perS: Double
        var healthzRatio: Double
        var cpuUs: Double
        var p50Ms: Double
        var p99Ms: Double
        var devices: Int?
        var topicSeconds: Double?
        var campaignSeconds: Double?
        var ratio: Double?
        var roundsPerS: [Double]
    }

    func validate() throws { try self.check("--seconds", self.seconds, in: 1...30) }

    func run() async throws {
        // An endpoint whose token APNs rejects is disabled, and refuses the next message.
        let published = try await self.size.rounds.measure(devices: Self.endpoints, badRate: 0) { bench in
            try await self.publish(on: bench)
        }
        let calls = MedianCalls(published.map(\.calls))
        var report = Report(
            calls: published.map(\.calls.count).reduce(0, +),
            perS: calls.perSecond,
            healthzRatio: published.map { $0.calls.perSecond / $0.healthz }.median.rounded(toPlaces: 3),
            cpuUs: calls.cpuMicroseconds,
            p50Ms: calls.p50,
            p99Ms: calls.p99,
            roundsPerS: published.map { $0.calls.perSecond.rounded() }
        )
        if !self.endpointsOnly {
            let rounds = try await self.publishToTopic()
            let (topic, campaign) = (rounds.map { $0.topic }.median, rounds.map { $0.campaign }.median)
            report.devices = self.size.devices
            report.topicSeconds = topic.rounded(toPlaces: 2)
            report.campaignSeconds = campaign.rounded(toPlaces: 2)
            report.ratio = (topic / campaign).rounded(toPlaces: 2)
        }
        if self.size.rounds.output.json { return try Console.report(report) }
        Console.out("endpoints  \(Int(report.perS)) calls/s, p50 \(report.p50Ms) ms, p99 \(report.p99Ms) ms")
        Console.out("           \(report.healthzRatio) of /healthz, \(report.cpuUs) us CPU each")
        guard let devices = report.devices, let topic = report.topicSeconds, let campaign = report.campaignSeconds
        else { return }
        Console.out("topic      \(devices) devices in \(topic) s, a campaign to them \(campaign) s")
    }

    private func publish(on bench: BenchmarkEnvironment) async throws -> Round {
        let caller = try await SNSBenchClient(bench)
        try await caller.createApplication()
        let items = try (0..<self.seconds * Self.endpoints).map(caller.publication(to:))
        let calls = CallBench(bench.stage, items: items, seconds: self.seconds)
        // The connection to APNs is open before anything is measured.
        _ = try await CallBench(bench.stage, items: items, seconds: 1)
            .send("first calls", SNSBenchClient.publish, connections: 1)
        return Round(
            healthz: try await calls.healthz(),
            calls: try await calls.send("Publish", SNSBenchClient.publish)
        )
    }

    /// In turn, so that both meet the same machine.
    private func publishToTopic() async throws -> [(topic: Double, campaign: Double)] {
        try await BenchDirectory.with { directory in
            let devices = self.size.devices
            let prepared = try await PreparedStore.make(devices: devices, in: directory) { store, population in
                Console.note("subscribing them")
                try await SNSBenchClient.subscribe(population, in: store)
            }
            return try await self.size.rounds.measure { round in
                let campaign = try await BenchmarkEnvironment.with(prepared) {
                    try await CampaignMeasurement.run(on: $0).seconds
                }
                let topic = try await BenchmarkEnvironment.with(prepared) { bench in
                    let caller = try await SNSBenchClient(bench)
                    return try await CampaignMeasurement.run(on: bench) { try await caller.publishToTopic() }.seconds
                }
                Console.note("round \(round): topic \(topic) s, campaign \(campaign) s")
                return (topic: topic, campaign: campaign)
            }
        }
    }
}
