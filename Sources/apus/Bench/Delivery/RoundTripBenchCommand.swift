// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import Foundation

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
        var milliseconds: Int
        var seconds: Double
        var perSecond: Double
        var rounds: [Double]

        private enum CodingKeys: String, CodingKey {
            case devices, seconds
            case milliseconds = "rtt_ms"
            case perSecond = "per_s"
            case rounds = "rounds_per_s"
        }
    }

    func run() async throws {
        let report = try await BenchDirectory.with { directory in
            let prepared = try await PreparedStore.make(devices: self.size.devices, in: directory)
            var rounds: [MeasuredCampaign] = []
            for _ in 1...self.size.rounds {
                let arguments = ["--round-trip", "\(self.milliseconds)"]
                rounds.append(
                    try await BenchStage.with(prepared, simulatorArguments: arguments) {
                        try await MeasuredCampaign.run(on: $0)
                    }
                )
            }
            return Report(
                devices: self.size.devices,
                milliseconds: self.milliseconds,
                seconds: rounds.map(\.seconds).median.rounded(toPlaces: 2),
                perSecond: rounds.map(\.perSecond).median.rounded(),
                rounds: rounds.map { $0.perSecond.rounded() }
            )
        }
        if self.size.output.json { return try Console.json(report) }
        Console.out("\(Int(report.perSecond))/s with a round trip of \(report.milliseconds) ms")
    }
}
