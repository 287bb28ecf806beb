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
            DirectBenchCommand.self, StreamBenchCommand.self, ProxyBenchCommand.self, LatencyBenchCommand.self,
            RoundTripBenchCommand.self,
            GrowthBenchCommand.self, FilterBenchCommand.self, AudienceBenchCommand.self,
            SenderComparisonBenchCommand.self,
            ActivitiesBenchCommand.self, ScheduleBenchCommand.self, SNSBenchCommand.self, SinglesBenchCommand.self,
            RegistrationsBenchCommand.self, TenantsBenchCommand.self, TakeoverBenchCommand.self, KillsBenchCommand.self,
            SoakCommand.self,
            SenderWorkerCommand.self, ClientSenderCommand.self,
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

extension ParsableArguments {
    /// Checks the value of an option.
    ///
    /// - Throws: `ValidationError` for a value outside of `range`.
    func check(_ option: String, _ value: Int, in range: ClosedRange<Int>) throws {
        guard range.contains(value) else {
            throw ValidationError("\(option) is from \(range.lowerBound) to \(range.upperBound); got \(value).")
        }
    }
}

/// The number of rounds of a measurement, and the format of its report.
struct RoundsArguments: ParsableArguments {
    @Option(name: .customLong("rounds"), help: "How often it is measured; the medians count. At least 3.")
    var count = 3

    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard self.count >= 3 else { throw ValidationError("--rounds is at least 3; got \(self.count).") }
    }

    /// Repeats a measurement, which gets the number of its round, from 1.
    func measure<Round>(_ measure: (Int) async throws -> Round) async throws -> [Round] {
        var rounds: [Round] = []
        for round in 1...self.count { rounds.append(try await measure(round)) }
        return rounds
    }
}

/// How large a measurement is.
struct BenchArguments: ParsableArguments {
    @OptionGroup var rounds: RoundsArguments

    @Option(help: "How many requests each side sends in a round.")
    var requests = 600_000

    @Option(help: "How many connections are used.")
    var connections = 4

    @Option(help: "How many requests may be in flight on each connection.")
    var streams = 1000

    func with(requests: Int, connections: Int) -> BenchArguments {
        var copy = self
        copy.requests = requests
        copy.connections = connections
        return copy
    }

    func validate() throws {
        guard self.requests >= 1000 else { throw ValidationError("--requests is at least 1000; got \(self.requests).") }
        try self.check("--connections", self.connections, in: 1...64)
        try self.check("--streams", self.streams, in: 1...10_000)
    }
}

/// How often a measurement of a whole server is taken, and on how many devices.
struct DeliveryBenchArguments: ParsableArguments {
    @OptionGroup var rounds: RoundsArguments

    @Option(help: "Number of devices; 1 % of the tokens are invalid.")
    var devices = 1_000_000

    func validate() throws { try self.check("--devices", self.devices, in: 1000...100_000_000) }
}
