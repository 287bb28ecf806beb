// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import Foundation

/// A whole campaign on this machine: server, store, and the simulator with every rule on.
struct CampaignBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaign",
        abstract: "A campaign to 1,000,000 devices from its start until all is settled, with 1 % bad tokens."
    )

    @OptionGroup var size: DeliveryBenchArguments

    @Option(help: "A PostgreSQL server's URL: the store is a database of it, made by psql. A file unless given.")
    var storeURL: String?

    private struct Report: Encodable {
        var devices: Int
        var seconds: Double
        var perSecond: Double
        var invalidExpected: Int
        var invalidMarked: Int
        var goodMarked: Int
        var residentMiB: Double
        var cpuMicroseconds: Double
        var rounds: [Double]

        private enum CodingKeys: String, CodingKey {
            case devices, seconds
            case perSecond = "per_s"
            case invalidExpected = "invalid_expected"
            case invalidMarked = "invalid_marked"
            case goodMarked = "good_marked"
            case residentMiB = "rss_mb"
            case cpuMicroseconds = "cpu_us"
            case rounds = "rounds_seconds"
        }
    }

    func run() async throws {
        try await BenchDirectory.with { directory in
            let prepared = try await PreparedStore.make(
                devices: self.size.devices,
                in: directory,
                url: self.storeURL
            )
            var rounds: [MeasuredCampaign] = []
            var marks: [PrunedTokens] = []
            for round in 1...self.size.rounds {
                let measured = try await BenchStage.with(prepared) { bench in
                    try await MeasuredCampaign.run(on: bench)
                } check: { store in
                    marks.append(
                        try await store.open { try await PrunedTokens(of: prepared.population, in: $0) }
                    )
                }
                rounds.append(measured)
                Console.note("round \(round): \(measured.seconds.rounded(toPlaces: 2)) s")
            }
            let seconds = rounds.map(\.seconds).median
            try self.tell(
                Report(
                    devices: self.size.devices,
                    seconds: seconds.rounded(toPlaces: 2),
                    perSecond: (Double(self.size.devices) / seconds).rounded(),
                    invalidExpected: prepared.population.badCount,
                    invalidMarked: marks.map(\.bad).min() ?? 0,
                    goodMarked: marks.map(\.good).max() ?? 0,
                    residentMiB: (rounds.map(\.peakMebibytes).max() ?? 0).rounded(toPlaces: 1),
                    cpuMicroseconds: rounds.map(\.cpuMicroseconds).median.rounded(toPlaces: 2),
                    rounds: rounds.map { $0.seconds.rounded(toPlaces: 2) }
                )
            )
        }
    }

    private func tell(_ report: Report) throws {
        if self.size.output.json { return try Console.json(report) }
        Console.out("campaign  \(report.devices) devices in \(report.seconds) s, \(Int(report.perSecond))/s")
        Console.out(
            "bad       \(report.invalidMarked) of \(report.invalidExpected) marked, \(report.goodMarked) good ones"
        )
        Console.out("server    \(report.residentMiB) MiB at most, \(report.cpuMicroseconds) us CPU each")
    }
}
