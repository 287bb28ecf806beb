// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import Foundation
import PushModel

/// The two processes of the demo and the directory that they work in.
struct DemoStage: Sendable {
    let directory: String
    let simulatorProcess: ChildProcess
    let simulator: SimulatorEndpoints
    let serverProcess: ChildProcess
    let server: ServerReady

    /// An API key that may do everything.
    let key: String

    var api: APIClient { APIClient(url: self.server.url, key: self.key) }
    var controlURL: String { "http://127.0.0.1:\(self.simulator.controlPort)" }
    var control: SimulatorClient { SimulatorClient(url: self.controlURL) }

    /// Starts a simulator, makes the first API key in an empty store, and starts a server that sends to the simulator.
    ///
    /// - Parameters:
    ///   - directory: an empty directory.
    ///   - executable: the program that both processes run.
    /// - Returns: both processes, ready.
    /// - Throws: ``CommandFailure`` `.not_ready` with the end of the log of the one that did not become ready.
    static func open(in directory: String, executable: String) async throws -> DemoStage {
        let simulator = try ChildProcess(
            executable: executable,
            arguments: [
                "simulate", "--port", "0", "--control-port", "0", "--dir", "\(directory)/simulator",
                "--environment", "sandbox", "--json", "--until-input-ends",
            ],
            log: "\(directory)/simulator.log"
        )
        do {
            let endpoints = try await simulator.ready(SimulatorEndpoints.self)
            let data = "\(directory)/server"
            let draft = KeyDraft(name: "demo", scopes: [.admin])
            let key = try await LocalStore.open(data) { try await LocalKeyBook(store: $0).create(draft) }
            let server = try ChildProcess(
                executable: executable,
                arguments: [
                    "serve", "--port", "0", "--data", data, "--wait-seconds", "60", "--json", "--until-input-ends",
                    "--apns-sandbox-host", "localhost", "--apns-sandbox-port", "\(endpoints.port)",
                    "--apns-sandbox-ca", "\(directory)/simulator/ca.pem",
                ],
                log: "\(directory)/server.log"
            )
            return DemoStage(
                directory: directory,
                simulatorProcess: simulator,
                simulator: endpoints,
                serverProcess: server,
                server: try await server.ready(ServerReady.self),
                key: key.key ?? ""
            )
        } catch {
            await simulator.stop()
            throw error
        }
    }

    /// Stops both processes, the server first, so that it can finish what it sends.
    ///
    /// - Throws: ``CommandFailure`` `.not_stopped` when one of them did not end well.
    func close() async throws {
        for process in [self.serverProcess, self.simulatorProcess] {
            let status = await process.stop()
            guard status != 0 else { continue }
            throw CommandFailure("not_stopped", "\(process.name) ended with status \(status):\n\(process.logEnd)")
        }
    }
}
