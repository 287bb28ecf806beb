// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport
import Foundation

@main
struct ApusBench {
    static func main() async { await CommandEntry.run(BenchCommand.self) }
}

/// Measures this build on this machine.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apus-bench",
        abstract: "Measure this build on this machine.",
        subcommands: [
            SenderBenchCommand.self, SimulatorBenchCommand.self, ConnectionsBenchCommand.self,
            CampaignBenchCommand.self,
            DirectBenchCommand.self, StreamBenchCommand.self, LatencyBenchCommand.self, RoundTripBenchCommand.self,
            GrowthBenchCommand.self, FilterBenchCommand.self, AudienceBenchCommand.self, PeersBenchCommand.self,
            ActivitiesBenchCommand.self, ScheduleBenchCommand.self, SNSBenchCommand.self, SinglesBenchCommand.self,
            RegistrationsBenchCommand.self, TakeoverBenchCommand.self, KillsBenchCommand.self, SoakCommand.self,
            SenderWorkerCommand.self, ClientPeerCommand.self,
        ]
    )
}

extension Console {
    /// Writes a report as one line of JSON, with the names of its properties in snake case.
    static func report(_ report: some Encodable) throws {
        let encoder = JSON.encoder
        encoder.keyEncodingStrategy = .convertToSnakeCase
        Self.out(String(decoding: try encoder.encode(report), as: UTF8.self))
    }
}

/// How large a measurement is.
struct BenchArguments: ParsableArguments {
    @Option(help: "How often each side is measured, in turn; the medians count. At least 3.")
    var rounds = 3

    @Option(help: "How many requests each side sends in a round.")
    var requests = 600_000

    @Option(help: "How many connections are used.")
    var connections = 4

    @Option(help: "How many requests may be in flight on each connection.")
    var streams = 1000

    @OptionGroup var output: OutputArguments

    func with(requests: Int, connections: Int) -> BenchArguments {
        var copy = self
        copy.requests = requests
        copy.connections = connections
        return copy
    }

    func validate() throws {
        guard self.rounds >= 3 else { throw ValidationError("--rounds is at least 3; got \(self.rounds).") }
        guard self.requests >= 1000 else { throw ValidationError("--requests is at least 1000; got \(self.requests).") }
        guard (1...64).contains(self.connections) else {
            throw ValidationError("--connections is from 1 to 64; got \(self.connections).")
        }
        guard (1...10_000).contains(self.streams) else {
            throw ValidationError("--streams is from 1 to 10000; got \(self.streams).")
        }
    }
}

/// How often a measurement of a whole server is taken, and on how many devices.
struct DeliveryBenchArguments: ParsableArguments {
    @Option(help: "How often it is measured; the medians count. At least 3.")
    var rounds = 3

    @Option(help: "How many devices there are, one in a hundred with a token that is no good.")
    var devices = 1_000_000

    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard self.rounds >= 3 else { throw ValidationError("--rounds is at least 3; got \(self.rounds).") }
        guard (1000...100_000_000).contains(self.devices) else {
            throw ValidationError("--devices is from 1000 to 100000000; got \(self.devices).")
        }
    }
}
