// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import Foundation

/// How soon the audience of a campaign is known, and its first devices are sent to.
struct FilterBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "filter",
        abstract: "The estimate and the first shard of an audience by tag, locale and app version."
    )

    /// How often the first shard is looked for.
    private static let interval: Duration = .milliseconds(5)

    private static let audience =
        #"{"and":[{"tag":{"name":"plan","equals":"pro"}},{"locale":"en"},{"appVersion":{"atLeast":"2.0.0"}}]}"#

    @OptionGroup var size: DeliveryBenchArguments

    private struct Report: Encodable {
        var devices: Int
        var audience: Int
        var estimateSeconds: Double
        var firstShardSeconds: Double

        private enum CodingKeys: String, CodingKey {
            case devices, audience
            case estimateSeconds = "estimate_seconds"
            case firstShardSeconds = "first_shard_seconds"
        }
    }

    private struct Estimate: Decodable {
        let count: Int
    }

    private struct Created: Decodable {
        struct Progress: Decodable {
            let planned: Int
        }

        let id: String
        let progress: Progress
    }

    func run() async throws {
        let report = try await BenchDirectory.with { directory in
            let prepared = try await PreparedStore.make(devices: self.size.devices, in: directory)
            var rounds: [Report] = []
            for _ in 1...self.size.rounds {
                rounds.append(try await BenchStage.with(prepared) { try await self.measure($0) })
            }
            return Report(
                devices: self.size.devices,
                audience: rounds[0].audience,
                estimateSeconds: rounds.map(\.estimateSeconds).median.rounded(toPlaces: 3),
                firstShardSeconds: rounds.map(\.firstShardSeconds).median.rounded(toPlaces: 3)
            )
        }
        if self.size.output.json { return try Console.json(report) }
        Console.out("estimate     \(report.estimateSeconds) s: \(report.audience) of \(report.devices) devices")
        Console.out("first shard  \(report.firstShardSeconds) s")
    }

    private func measure(_ bench: BenchStage) async throws -> Report {
        let clock = ContinuousClock()
        let path = "/v1/apps/\(bench.app)/campaigns"
        var count = 0
        let estimate = try await clock.measure {
            let body = Data(#"{"audience":\#(Self.audience)}"#.utf8)
            let answer: Estimate = try await bench.stage.api.call(.post, "\(path):estimate", body: body).decoded()
            count = answer.count
        }
        guard count > 0 else { throw CommandFailure("bad_run", "Nobody is in the audience.") }
        let shard = try await clock.measure {
            let message = #"{"default":{"payload":\#(BenchNotification.payload)}}"#
            let body = Data(#"{"name":"bench","audience":\#(Self.audience),"message":\#(message)}"#.utf8)
            var campaign: Created = try await bench.stage.api.call(.post, path, body: body).decoded()
            while campaign.progress.planned == 0 {
                try await Task.sleep(for: Self.interval)
                campaign = try await bench.stage.api.call(.get, "\(path)/\(campaign.id)").decoded()
            }
        }
        return Report(
            devices: self.size.devices,
            audience: count,
            estimateSeconds: estimate / .seconds(1),
            firstShardSeconds: shard / .seconds(1)
        )
    }
}
