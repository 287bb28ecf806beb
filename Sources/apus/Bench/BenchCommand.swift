// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Measures this build on this machine.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure this build on this machine.",
        subcommands: [
            SenderBenchCommand.self, SimulatorBenchCommand.self, ConnectionsBenchCommand.self,
            CampaignBenchCommand.self,
            DirectBenchCommand.self, StreamBenchCommand.self, LatencyBenchCommand.self, RoundTripBenchCommand.self,
            GrowthBenchCommand.self, FilterBenchCommand.self, PeersBenchCommand.self, ActivitiesBenchCommand.self,
            ScheduleBenchCommand.self, SNSBenchCommand.self, SoakCommand.self,
            SenderWorkerCommand.self, ClientPeerCommand.self,
        ]
    )
}
