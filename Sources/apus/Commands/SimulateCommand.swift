// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ArgumentParser
import Foundation
import Logging
import ServiceLifecycle

/// Runs Apple's side of the wire.
struct SimulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Run a simulator of APNs with virtual devices.",
        discussion: """
            Point a push server at the provider port instead of Apple's host, trusting ca.pem of the directory; sign \
            with demo-key.p8, whose ids are in demo-key.json. Virtual devices are made and looked at through the \
            control port:

            curl -d '{"environment":"sandbox","apps":["com.example.app"]}' http://127.0.0.1:CONTROL/v1/devices
            """
    )

    @Option(help: "The address that both ports are bound to.")
    var host = "127.0.0.1"

    @Option(help: "The port of the provider API (HTTP/2 over TLS); 0 takes a free one.")
    var port = 0

    @Option(help: "The port of the control API (HTTP); 0 takes a free one.")
    var controlPort = 0

    @Option(help: "Where ca.pem, demo-key.p8 and demo-key.json are kept from one run to the next.")
    var dir = "apus-simulator"

    @Option(help: "Which of Apple's services it plays: sandbox or production.")
    var environment: APNsEnvironment = .sandbox

    @Option(
        name: .customLong("switch"),
        help: "A switch as name=position, for what Apple does not document; may be given several times."
    )
    var switches: [String] = []

    @OptionGroup var process: ProcessArguments

    func validate() throws {
        for port in [self.port, self.controlPort] where !(0...65_535).contains(port) {
            throw ValidationError("A port is a number from 0 to 65535; got \(port).")
        }
        _ = try self.positions()
    }

    func run() async throws {
        var logger = Logger(label: "apus.simulator", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = .warning
        let configuration = APNsSimulatorConfiguration(
            host: self.host,
            port: self.port,
            controlPort: self.controlPort,
            directory: self.dir,
            environment: self.environment,
            switches: try self.positions()
        )
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
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2 else { throw ValidationError("A --switch is written name=position; got '\(text)'.") }
            do {
                try positions.set(parts[0], to: parts[1])
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
            if self.asJSON { try Console.json(endpoints) } else { Console.out(endpoints.readyLine) }
        }
        try await gracefulShutdown()
    }
}
