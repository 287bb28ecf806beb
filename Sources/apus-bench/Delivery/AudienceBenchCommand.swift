// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport
import Foundation

/// The time from the request that creates a campaign until all of its targets are enqueued.
struct AudienceBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audiences",
        abstract: "How soon campaigns to one user, to a topic of 1 in 10,000 devices and to all devices are enqueued."
    )

    /// The number of devices for each one that reports the topic.
    private static let spacing = 10_000

    private static let topic = "rare"

    @OptionGroup var size: DeliveryBenchArguments

    @Option(help: "The URL of a PostgreSQL server on which psql creates the database. Without it, the store is a file.")
    var storeURL: String?

    private struct Report: Encodable {
        var devices: Int
        var userMs: Double
        var rareTopicMs: Double
        var allMs: Double
    }

    func run() async throws {
        let rounds = try await self.size.rounds.measure(devices: self.size.devices, storeURL: self.storeURL) { bench in
            try await self.measure(bench)
        } preparing: { store, population in
            try await population.register(topic: Self.topic, every: Self.spacing, in: store)
        }
        let report = Report(
            devices: self.size.devices,
            userMs: rounds.map(\.userMs).median.rounded(toPlaces: 2),
            rareTopicMs: rounds.map(\.rareTopicMs).median.rounded(toPlaces: 2),
            allMs: rounds.map(\.allMs).median.rounded(toPlaces: 2)
        )
        if self.size.rounds.output.json { return try Console.report(report) }
        Console.out("one user    \(report.userMs) ms")
        Console.out("rare topic  \(report.rareTopicMs) ms")
        Console.out("all         \(report.allMs) ms of \(report.devices) devices")
    }

    private func measure(_ bench: BenchmarkEnvironment) async throws -> Report {
        let devices = self.size.devices
        var users: [Double] = []
        for part in 1...7 {
            let user = try bench.population.user(devices / 8 * part)
            users.append(try await bench.enqueueCampaign(to: #"{"users":["\#(user)"]}"#, count: 1))
        }
        return Report(
            devices: devices,
            userMs: users.median,
            rareTopicMs: try await bench.enqueueCampaign(
                to: #"{"topic":"\#(Self.topic)"}"#,
                count: (devices - 1) / Self.spacing + 1
            ),
            allMs: try await bench.enqueueCampaign(to: BenchCampaign.everybody, count: devices)
        )
    }
}
