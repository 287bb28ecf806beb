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

    @Option(help: "How many calls to single endpoints a round has.")
    var calls = 20_000

    private struct Report: Encodable {
        var calls: Int
        var perSecond: Double
        var p50: Double
        var p99: Double
        var devices: Int
        var topicSeconds: Double
        var campaignSeconds: Double
        var ratio: Double
        var rounds: [Double]

        private enum CodingKeys: String, CodingKey {
            case calls, devices, ratio
            case perSecond = "per_s"
            case p50 = "p50_ms"
            case p99 = "p99_ms"
            case topicSeconds = "topic_seconds"
            case campaignSeconds = "campaign_seconds"
            case rounds = "rounds_per_s"
        }
    }

    func validate() throws {
        guard (100...10_000_000).contains(self.calls) else {
            throw ValidationError("--calls is from 100 to 10000000; got \(self.calls).")
        }
    }

    func run() async throws {
        let report = try await BenchDirectory.with { directory in
            let published = try await self.publishToEndpoints(in: directory)
            let (topic, campaign) = try await self.publishToTopic(in: directory)
            return Report(
                calls: self.calls,
                perSecond: published.map(\.perSecond).median.rounded(),
                p50: published.map { $0.times.value(at: 0.5) }.median.rounded(toPlaces: 2),
                p99: published.map { $0.times.value(at: 0.99) }.median.rounded(toPlaces: 2),
                devices: self.size.devices,
                topicSeconds: topic.median.rounded(toPlaces: 2),
                campaignSeconds: campaign.median.rounded(toPlaces: 2),
                ratio: (topic.median / campaign.median).rounded(toPlaces: 2),
                rounds: published.map { $0.perSecond.rounded() }
            )
        }
        if self.size.output.json { return try Console.json(report) }
        Console.out("endpoints  \(Int(report.perSecond)) calls/s, p50 \(report.p50) ms, p99 \(report.p99) ms")
        Console.out(
            "topic      \(report.devices) devices in \(report.topicSeconds) s, a campaign to them \(report.campaignSeconds) s"
        )
    }

    private func publishToEndpoints(in directory: String) async throws -> [MeasuredPublishing] {
        // An endpoint whose token turns out to be dead is disabled, and refuses the next message.
        let prepared = try await PreparedStore.make(devices: Self.endpoints, badRate: 0, in: directory)
        var rounds: [MeasuredPublishing] = []
        for round in 1...self.size.rounds {
            let measured = try await BenchStage.with(prepared) { bench in
                try await MeasuredPublishing.run(self.calls, on: SNSBenchCaller(bench))
            }
            Console.note("round \(round): \(Int(measured.perSecond)) calls/s")
            rounds.append(measured)
        }
        return rounds
    }

    /// In turn, so that both meet the same machine.
    private func publishToTopic(in directory: String) async throws -> (topic: [Double], campaign: [Double]) {
        let prepared = try await PreparedStore.make(devices: self.size.devices, in: directory) { store, population in
            Console.note("subscribing them")
            try await SNSBenchCaller.subscribe(population, in: store)
        }
        var topic: [Double] = []
        var campaign: [Double] = []
        for round in 1...self.size.rounds {
            campaign.append(try await BenchStage.with(prepared) { try await MeasuredCampaign.run(on: $0).seconds })
            topic.append(
                try await BenchStage.with(prepared) { bench in
                    let caller = try await SNSBenchCaller(bench)
                    return try await MeasuredCampaign.run(on: bench) { try await caller.publishToTopic() }.seconds
                }
            )
            Console.note("round \(round): topic \(topic[round - 1]) s, campaign \(campaign[round - 1]) s")
        }
        return (topic, campaign)
    }
}

/// Signed calls to single endpoints, each answered when its message is stored durably.
struct MeasuredPublishing: Sendable {
    /// How many callers there are, each with a connection and one call at a time.
    private static let callers = 32

    let seconds: Double

    /// From the request to the answer.
    ///
    /// Unit: milliseconds.
    let times: Percentiles

    var perSecond: Double { Double(self.times.count) / self.seconds }

    /// Publishes to one endpoint after the other.
    ///
    /// - Throws: ``CommandFailure`` when a call is refused.
    static func run(_ calls: Int, on caller: SNSBenchCaller) async throws -> MeasuredPublishing {
        try await caller.createApplication()
        let all = try (0..<Self.callers).map { place in
            try stride(from: place, to: calls, by: Self.callers).map(caller.publication(to:))
        }
        let start = ContinuousClock.now
        let times = try await withThrowingTaskGroup(of: [Double].self) { group in
            for calls in all { group.addTask { try await caller.make(calls) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        return MeasuredPublishing(seconds: (ContinuousClock.now - start) / .seconds(1), times: Percentiles(times))
    }
}
