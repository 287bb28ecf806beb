// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation

/// A campaign to every device, from the request that creates it until all its targets are settled.
struct CampaignMeasurement: Sendable {
    /// How often its progress is asked for while it runs.
    private static let interval: Duration = .milliseconds(50)

    /// The most that a round may take.
    static let deadline: Duration = .seconds(900)

    let seconds: Double
    let delivered: Int
    let rejected: Int

    /// The server's processor time.
    ///
    /// Unit: seconds.
    let cpuSeconds: Double

    /// The most memory that the server had.
    ///
    /// Unit: MiB.
    let peakMebibytes: Double

    /// Processor time for each notification.
    ///
    /// Unit: microseconds.
    var cpuMicroseconds: Double { self.cpuSeconds * 1e6 / Double(max(1, self.delivered + self.rejected)) }

    var perSecond: Double { Double(self.delivered + self.rejected) / self.seconds }

    private struct Progress: Decodable {
        struct Counts: Decodable {
            let delivered: Int?
            let rejected: [String: Int]?
            let failed: [String: Int]?
        }

        let state: String
        let isCompleted: Bool
        let counts: Counts
    }

    /// Sends to all devices of a stage, and waits until all targets are settled.
    ///
    /// `ratePerSecond` limits the notifications per second; `nil` means no limit.
    /// - Throws: ``CommandError``, and the errors of the API.
    static func run(on bench: BenchmarkEnvironment, ratePerSecond: Int? = nil) async throws -> CampaignMeasurement {
        try await self.run(on: bench) {
            try await bench.createCampaign(to: BenchCampaign.everybody, ratePerSecond: ratePerSecond).id
        }
    }

    /// Has a campaign to all devices of a stage created, and waits until it is settled.
    ///
    /// The result includes the creation.
    /// - Throws: ``CommandError``, and what `create` throws.
    static func run(
        on bench: BenchmarkEnvironment,
        creating create: () async throws -> String
    ) async throws -> CampaignMeasurement {
        let cpu = ProcessTable.processorSeconds(of: bench.server)
        let start = ContinuousClock.now
        let campaign = try await create()
        let path = "\(bench.campaigns)/\(campaign)/progress"
        while true {
            let progress: Progress = try await bench.stage.api.call(.get, path).decoded()
            let elapsed = ContinuousClock.now - start
            if progress.isCompleted {
                guard progress.state == "completed", progress.counts.failed?.isEmpty ?? true else {
                    throw CommandError("bad_run", "The campaign ended as \(progress.state), or with failures.")
                }
                return CampaignMeasurement(
                    seconds: elapsed / .seconds(1),
                    delivered: progress.counts.delivered ?? 0,
                    rejected: progress.counts.rejected?.values.reduce(0, +) ?? 0,
                    cpuSeconds: ProcessTable.processorSeconds(of: bench.server) - cpu,
                    peakMebibytes: ProcessTable.peakMebibytes(of: bench.server)
                )
            }
            guard elapsed < Self.deadline else {
                throw CommandError("too_slow", "The campaign was not settled within \(Self.deadline).")
            }
            try await Task.sleep(for: Self.interval)
        }
    }
}

/// A campaign in a response of the API.
struct BenchCampaign: Decodable, Sendable {
    struct Progress: Decodable, Sendable {
        let enqueued: Int
        let isCompleted: Bool
    }

    /// The audience of all devices.
    static let everybody = #"{"all":true}"#

    let id: String
    let name: String
    let progress: Progress
}

extension BenchmarkEnvironment {
    /// The path of the app's campaigns.
    var campaigns: String { "/v1/apps/\(self.app)/campaigns" }

    /// Creates a campaign that starts at once.
    func createCampaign(to audience: String, ratePerSecond: Int? = nil) async throws -> BenchCampaign {
        let message = #"{"default":{"payload":\#(BenchNotification.payload)}}"#
        let shape = ratePerSecond.map { #","ratePerSecond":\#($0)"# } ?? ""
        let body = Data(#"{"name":"bench","audience":\#(audience),"message":\#(message)\#(shape)}"#.utf8)
        return try await self.stage.api.call(.post, self.campaigns, body: body).decoded()
    }

    /// Creates a campaign, and polls until `count` targets are enqueued.
    ///
    /// - Returns: the elapsed time in milliseconds.
    func enqueueCampaign(
        to audience: String,
        count: Int,
        interval: Duration = .milliseconds(1)
    ) async throws -> Double {
        let start = ContinuousClock.now
        var campaign = try await self.createCampaign(to: audience)
        while campaign.progress.enqueued < count {
            guard ContinuousClock.now - start < CampaignMeasurement.deadline else {
                throw CommandError("too_slow", "The campaign was not enqueued within \(CampaignMeasurement.deadline).")
            }
            try await Task.sleep(for: interval)
            campaign = try await self.stage.api.call(.get, "\(self.campaigns)/\(campaign.id)").decoded()
        }
        return (ContinuousClock.now - start) / .milliseconds(1)
    }
}
