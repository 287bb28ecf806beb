// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import APNsSimulator
import ArgumentParser
import CommandLineSupport
import Foundation

/// The simulator alone on one core, with every rule on, under h2load on another.
struct SimulatorBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulator",
        abstract: "The simulator on one core, with every rule on, in requests a second."
    )

    /// How many devices there are.
    private static let population = 1_000_000
    /// How many of them the requests of a round go to, in turn.
    private static let tokensInRound = 100_000

    @OptionGroup var size: BenchArguments

    private struct DemoKey: Decodable {
        let keyID: String
        let teamID: String
    }

    private struct Report: Encodable {
        var perS: Double
        var rssMb: Double
        var cores: Int
        var rounds: Int
        var requests: Int
        var connections: Int
        var streams: Int
        var population: Int
        var devices: Int
        var delivered: Int
        var roundsPerS: [Double]
    }

    func run() async throws {
        let arguments = ["--population", "\(Self.population)", "--population-app", BenchNotification.topic]
        try self.tell(try await BenchSimulator.with(arguments: arguments, core: 1) { try await self.measure($0) })
    }

    private func measure(_ simulator: BenchSimulator) async throws -> Report {
        let (endpoints, directory) = (simulator.endpoints, simulator.directory)
        let tokens = PopulationTokens(
            try PopulationConfiguration(count: Self.population, app: BenchNotification.topic)
        )
        let authorization = try self.authorization(in: directory)
        // One pass over all devices, so that each holds a notification; it is not measured. One connection, since
        // each connection of h2load begins with the first path.
        _ = try await H2Load(
            port: endpoints.port,
            authorization: authorization,
            tokens: Array(tokens),
            arguments: self.size.with(requests: Self.population, connections: 1),
            directory: directory
        ).run(core: 0)
        let resident = ProcessTable.residentMebibytes(of: simulator.processID)
        let counters = try await SimulatorClient(url: "http://127.0.0.1:\(endpoints.controlPort)").info().counters
        guard counters.devices == Self.population, counters.delivered == Self.population else {
            let message = "\(counters.devices) devices hold \(counters.delivered) notifications, not one each"
            throw CommandError("bad_run", message)
        }
        let h2load = H2Load(
            port: endpoints.port,
            authorization: authorization,
            tokens: Array(tokens.prefix(Self.tokensInRound)),
            arguments: self.size,
            directory: directory
        )
        let rates = try await self.size.rounds.measure { round in
            let rate = try await h2load.run(core: 0)
            Console.note("round \(round): \(Int(rate)) requests/s")
            return rate
        }
        return Report(
            perS: rates.median.rounded(),
            rssMb: resident.rounded(toPlaces: 1),
            cores: CPUAffinity.count,
            rounds: self.size.rounds.count,
            requests: self.size.requests,
            connections: self.size.connections,
            streams: self.size.streams,
            population: Self.population,
            devices: counters.devices,
            delivered: counters.delivered,
            roundsPerS: rates.map { $0.rounded() }
        )
    }

    private func authorization(in directory: URL) throws -> String {
        let ids = try JSON.decoder.decode(
            DemoKey.self,
            from: Data(contentsOf: directory.appending(path: "demo-key.json"))
        )
        let pem = try String(contentsOf: directory.appending(path: "demo-key.p8"), encoding: .utf8)
        return try ProviderKey(keyID: ids.keyID, teamID: ids.teamID, pem: pem).authorization(now: Date())
    }

    private func tell(_ report: Report) throws {
        if self.size.rounds.output.json { return try Console.report(report) }
        Console.out("simulator  \(Int(report.perS)) requests/s on one core, every rule on")
        Console.out(
            "memory     \(report.rssMb) MiB resident (VmRSS) once each of \(report.devices) devices holds a notification"
        )
    }
}
