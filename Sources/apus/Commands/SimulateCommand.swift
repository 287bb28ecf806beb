// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ArgumentParser
import CommandLineSupport
import Foundation
import Logging
import ServiceLifecycle

struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run a simulator of APNs with virtual devices.",
        discussion: """
            Point a push server at the provider port instead of Apple's host, trusting ca.pem of the directory; sign \
            with demo-key.p8, whose ids are in demo-key.json. Virtual devices are made and looked at through the \
            control port:

            curl -H 'Content-Type: application/json' -d '{"apps":["com.example.app"]}' \\
                http://127.0.0.1:CONTROL/v1/devices
            """,
        subcommands: [SimulateTokensCommand.self]
    )

    @Option(help: "The address that both ports are bound to.")
    var host = "127.0.0.1"

    @Option(help: "The port of the provider API (HTTP/2 over TLS); 0 takes a free one.")
    var port = 0

    @Option(help: "The port of the control API (HTTP); 0 takes a free one.")
    var controlPort = 0

    @Option(
        help: """
            A host name by which the control API is called, besides localhost and --host; may be given several times.
            """
    )
    var controlHost: [String] = []

    @Option(help: "Where ca.pem, demo-key.p8 and demo-key.json are kept from one run to the next.")
    var dir = "apus-simulator"

    @Option(help: "Which of Apple's services it plays: sandbox or production.")
    var environment: APNsEnvironment = .sandbox

    @Option(help: "The port of channel management (HTTP/2 over TLS); 0 takes a free one. Apple's are 2195 and 2196.")
    var channelPort = 0

    @Option(help: "The port of the legacy binary gateway (TLS with a push certificate); 0 takes a free one.")
    var gatewayPort: Int?

    @Option(help: "The port of the legacy feedback service (TLS with a push certificate); 0 takes a free one.")
    var feedbackPort: Int?

    @Option(help: "Milliseconds that everything the provider port says is held back: an injected round trip.")
    var roundTrip: Double = 0

    @Option(help: "A file with a fault script in JSON, as POST /v1/faults takes it; may be given several times.")
    var faults: [String] = []

    @Option(
        help: """
            How many of the latest deliveries and events are kept for readers of the feeds that come late. Default: 10000, \
            and none with a population.
            """
    )
    var feedHistory: Int?

    @Option(
        name: .customLong("switch"),
        help: "A switch as name=position, for what Apple does not document; may be given several times."
    )
    var switches: [String] = []

    @Flag(help: "List every switch with its default, its positions and what it decides, and exit.")
    var listSwitches = false

    @OptionGroup var population: PopulationArguments

    @Option(help: "What the devices' tokens are computed from: the same seed and calls give the same ones.")
    var seed: UInt64?

    @OptionGroup var process: ProcessArguments

    func validate() throws {
        let ports = [
            self.port, self.controlPort, self.channelPort, self.gatewayPort ?? 0, self.feedbackPort ?? 0,
        ]
        for port in ports where !(0...65_535).contains(port) {
            throw ValidationError("A port is a number from 0 to 65535; got \(port).")
        }
        for host in self.controlHost where host.isEmpty || host.contains(where: { ":/[]@ ".contains($0) }) {
            throw ValidationError("A --control-host is a host name without scheme and port; got '\(host)'.")
        }
        guard (0...60_000).contains(self.roundTrip) else {
            throw ValidationError("A --round-trip is a number from 0 to 60000; got \(self.roundTrip).")
        }
        guard (0...1_000_000).contains(self.feedHistory ?? 0) else {
            throw ValidationError("A --feed-history is a number from 0 to 1000000; got \(self.feedHistory ?? 0).")
        }
        _ = try self.population.configuration(environment: self.environment)
        _ = try self.positions()
        _ = try self.faults.map { try Self.script($0) }
    }

    private static func script(_ path: String) throws -> FaultScript {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ValidationError("The file \(path) of --faults cannot be read.")
        }
        do {
            return try FaultScript(json: Array(data))
        } catch {
            throw ValidationError("The fault script \(path) is not right: \(error.message)")
        }
    }

    func run() async throws {
        if self.listSwitches { return try SwitchList(asJSON: self.process.json).print() }
        var logger = Logger(label: "apus.simulator", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = .warning
        var configuration = APNsSimulatorConfiguration(
            host: self.host,
            port: self.port,
            controlPort: self.controlPort,
            directory: self.dir,
            environment: self.environment,
            population: try self.population.configuration(environment: self.environment),
            seed: self.seed,
            switches: try self.positions()
        )
        configuration.controlHosts = self.controlHost
        configuration.channelPort = self.channelPort
        configuration.gatewayPort = self.gatewayPort
        configuration.feedbackPort = self.feedbackPort
        // Cannot trap: `validate()` lets 0 to 60000 through.
        configuration.roundTrip = .microseconds(Int64(self.roundTrip * 1000))
        configuration.faults = try self.faults.map { try Self.script($0) }
        configuration.feedHistory = self.feedHistory ?? (configuration.population == nil ? 10_000 : 0)
        do {
            let simulator = try APNsSimulator(configuration: configuration, logger: logger)
            let announcement = Announcement(simulator: simulator, asJSON: self.process.json)
            try await ProcessGroup.run(
                [simulator, announcement],
                untilInputEnds: self.process.untilInputEnds,
                logger: logger
            )
        } catch let error as APNsSimulatorError {
            throw CommandFailure(error.code.rawValue, error.description, cause: error)
        }
    }

    private func positions() throws -> APNsSimulatorSwitches {
        var positions = APNsSimulatorSwitches()
        for text in self.switches {
            let names = APNsSimulatorSwitches.catalogue.map(\.name)
            guard let (name, position) = text.assignment else {
                throw ValidationError("A --switch is written name=position; got '\(text)'.")
            }
            guard names.contains(name) else {
                let list = names.sorted().map { "\n  \($0)" }.joined()
                throw ValidationError("There is no switch '\(name)'. There are:\(list)")
            }
            do {
                try positions.set(name, to: position)
            } catch {
                throw ValidationError(error.message)
            }
        }
        return positions
    }
}

/// Writes the line that says that the simulator is ready, then waits for the end.
private struct Announcement: Service {
    let simulator: APNsSimulator
    let asJSON: Bool

    func run() async throws {
        // Where there are none, the simulator's own service has failed and tells why.
        if let endpoints = try? await self.simulator.endpoints() {
            if self.asJSON { try Console.announce(json: endpoints) } else { Console.announce(endpoints.readyLine) }
        }
        try await gracefulShutdown()
    }
}

/// What `apus simulate --list-switches` prints: every switch of the simulator.
struct SwitchList {
    let asJSON: Bool

    private struct Row: Encodable {
        let name: String
        let byDefault: String
        let positions: String
        let summary: String

        private enum CodingKeys: String, CodingKey {
            case name, positions, summary
            case byDefault = "default"
        }
    }

    func print() throws {
        let rows = APNsSimulatorSwitches.catalogue.map { entry in
            Row(
                name: entry.name,
                byDefault: entry.defaultChoice,
                positions: "\(entry.positions)",
                summary: entry.summary
            )
        }
        if self.asJSON { return try Console.json(rows) }
        for row in rows {
            Console.out("\(row.name)=\(row.byDefault)")
            Console.out("    \(row.summary)")
            Console.out("    \(row.positions)")
        }
    }
}
