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
            Configure a push server with the provider port instead of Apple's host, with ca.pem of the directory as \
            trusted authority, and with the key demo-key.p8, whose IDs are in demo-key.json. Create and inspect \
            virtual devices with the control port:

            curl -H 'Content-Type: application/json' -d '{"apps":["com.example.app"]}' \\
                http://127.0.0.1:CONTROL/v1/devices
            """,
        subcommands: [SimulateTokensCommand.self]
    )

    @Option(help: "Address of all ports.")
    var host = "127.0.0.1"

    @Option(help: "Port of the provider API (HTTP/2 over TLS); 0 selects a free port.")
    var port = 0

    @Option(help: "Port of the control API (HTTP); 0 selects a free port.")
    var controlPort = 0

    @Option(
        help: """
            Host name that clients of the control API may use, in addition to localhost and --host. Repeatable.
            """
    )
    var controlHost: [String] = []

    @Option(help: "Directory that keeps ca.pem, demo-key.p8 and demo-key.json between runs.")
    var dir = "apus-simulator"

    @Option(help: "Environment that it simulates: sandbox or production.")
    var environment: APNsEnvironment = .sandbox

    @Option(help: "Port of channel management (HTTP/2 over TLS); 0 selects a free port. Apple's are 2195 and 2196.")
    var channelPort = 0

    @Option(help: "Port of the legacy binary gateway (TLS with a push certificate); 0 selects a free port.")
    var gatewayPort: Int?

    @Option(help: "Port of the legacy feedback service (TLS with a push certificate); 0 selects a free port.")
    var feedbackPort: Int?

    @Option(help: "Port for devices (TLS with a device certificate); 0 selects a free port.")
    var courierPort: Int?

    @Option(help: "Latency added to everything that the provider port sends, in milliseconds.")
    var latency: Double = 0

    @Option(help: "File with a fault script in JSON, as POST /v1/faults accepts it. Repeatable.")
    var faultScript: [String] = []

    @Option(
        help: """
            Number of the latest deliveries and events that are kept for later readers of the feeds. Default: 10000; \
            with a population, 0.
            """
    )
    var feedHistory: Int?

    @Option(
        name: .customLong("option"),
        help: "Behavior option as NAME=VALUE, for behavior that Apple does not document. Repeatable."
    )
    var options: [String] = []

    @Flag(help: "List every behavior option with its default, its values and its effect, and exit.")
    var listOptions = false

    @OptionGroup var population: PopulationArguments

    @Option(help: "Seed of the device tokens: the same seed and calls create the same tokens.")
    var seed: UInt64?

    @OptionGroup var process: ProcessArguments

    func validate() throws {
        let ports = [
            self.port, self.controlPort, self.channelPort, self.gatewayPort ?? 0, self.feedbackPort ?? 0,
            self.courierPort ?? 0,
        ]
        for port in ports where !(0...65_535).contains(port) {
            throw ValidationError("Invalid port: expected a number from 0 to 65535, got \(port).")
        }
        for host in self.controlHost where host.isEmpty || host.contains(where: { ":/[]@ ".contains($0) }) {
            throw ValidationError("--control-host: expected a host name without scheme and port, got '\(host)'.")
        }
        guard (0...60_000).contains(self.latency) else {
            throw ValidationError("--latency: expected a number from 0 to 60000, got \(self.latency).")
        }
        guard (0...1_000_000).contains(self.feedHistory ?? 0) else {
            throw ValidationError(
                "--feed-history: expected a number from 0 to 1000000, got \(self.feedHistory ?? 0)."
            )
        }
        _ = try self.population.configuration(environment: self.environment)
        _ = try self.behaviorOptions()
        _ = try self.faultScript.map { try Self.script($0) }
    }

    private static func script(_ path: String) throws -> FaultScript {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ValidationError(
                "--fault-script: the file \(path) cannot be read. Expected a file with a fault script in JSON."
            )
        }
        do {
            return try FaultScript(json: Array(data))
        } catch {
            throw ValidationError(
                "Invalid fault script \(path): \(error.message). Expected one fault, or an object with `steps`; see "
                    + "docs/simulator.md#faults."
            )
        }
    }

    func run() async throws {
        if self.listOptions { return try OptionList(asJSON: self.process.json).print() }
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
            switches: try self.behaviorOptions()
        )
        configuration.controlHosts = self.controlHost
        configuration.channelPort = self.channelPort
        configuration.gatewayPort = self.gatewayPort
        configuration.feedbackPort = self.feedbackPort
        configuration.courierPort = self.courierPort
        // Cannot trap: `validate()` lets 0 to 60000 through.
        configuration.roundTrip = .microseconds(Int64(self.latency * 1000))
        configuration.faults = try self.faultScript.map { try Self.script($0) }
        configuration.feedHistory = self.feedHistory ?? (configuration.population == nil ? 10_000 : 0)
        do {
            let simulator = try APNsSimulator(configuration: configuration, logger: logger)
            let announcement = Announcement(simulator: simulator, asJSON: self.process.json)
            try await ProcessServices.run(
                [simulator, announcement],
                exitOnStdinClose: self.process.exitOnStdinClose,
                logger: logger
            )
        } catch let error as APNsSimulatorError {
            throw CommandError(error.code.rawValue, error.description, cause: error)
        }
    }

    private func behaviorOptions() throws -> APNsSimulatorOptions {
        var options = APNsSimulatorOptions()
        for text in self.options {
            let names = APNsSimulatorOptions.catalogue.map(\.name)
            guard let (name, value) = text.assignment else {
                throw ValidationError("--option: expected NAME=VALUE, got '\(text)'.")
            }
            guard names.contains(name) else {
                let list = names.sorted().map { "\n  \($0)" }.joined()
                throw ValidationError("Unknown behavior option '\(name)'. Expected one of:\(list)")
            }
            do {
                try options.set(name, to: value)
            } catch {
                throw ValidationError(error.message)
            }
        }
        return options
    }
}

/// Writes the ready message of the simulator, then waits for its end.
private struct Announcement: Service {
    let simulator: APNsSimulator
    let asJSON: Bool

    func run() async throws {
        // If there are none, the service of the simulator has failed and reports the error.
        if let endpoints = try? await self.simulator.endpoints() {
            if self.asJSON { try Console.announce(json: endpoints) } else { Console.announce(endpoints.readyLine) }
        }
        try await gracefulShutdown()
    }
}

/// The output of `apus simulate --list-options`: every behavior option of the simulator.
struct OptionList {
    let asJSON: Bool

    private struct Row: Encodable {
        let name: String
        let byDefault: String
        let values: String
        let summary: String

        private enum CodingKeys: String, CodingKey {
            case name, summary, values
            case byDefault = "default"
        }
    }

    func print() throws {
        let rows = APNsSimulatorOptions.catalogue.map { entry in
            Row(
                name: entry.name,
                byDefault: entry.defaultChoice,
                values: "\(entry.positions)",
                summary: entry.summary
            )
        }
        if self.asJSON { return try Console.json(rows) }
        for row in rows {
            Console.out("\(row.name)=\(row.byDefault)")
            Console.out("    \(row.summary)")
            Console.out("    \(row.values)")
        }
    }
}
