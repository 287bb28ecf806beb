// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNsSimulator
import Foundation
import PushModel
package import PushStore

/// A simulator and a server that sends to it, as processes of their own, and the directory that they work in.
package struct LocalTestEnvironment: Sendable {
    package let directory: String
    let executable: String
    package let simulatorProcess: ChildProcess
    package let simulator: SimulatorEndpoints
    package let serverProcess: ChildProcess
    package let server: ServerReady

    /// An API key that may do everything.
    package let key: String

    package var api: APIClient { APIClient(url: self.server.url, key: self.key) }
    package var controlURL: String { Self.controlURL(self.simulator) }
    package var control: SimulatorClient { SimulatorClient(url: self.controlURL) }

    /// Starts a simulator, creates the first API key in an empty store, and starts a server that sends to the
    /// simulator.
    ///
    /// `directory` must be empty. The store is the PostgreSQL database at `storeURL`, or a file in the directory. With
    /// `goesBySimulator`, the server uses the simulator's clock, which can be advanced. `prepare` receives the store
    /// before the server opens it.
    ///
    /// - Returns: both processes, ready.
    /// - Throws: ``CommandError`` `.not_ready` with the end of the log of the process that did not become ready.
    package static func open(
        in directory: String,
        executable: String,
        storeURL: String? = nil,
        simulatorArguments: [String] = [],
        serverArguments: [String] = [],
        goesBySimulator: Bool = false,
        preparing prepare: (any PushStore) async throws -> Void = { _ in }
    ) async throws -> LocalTestEnvironment {
        let simulator = try ChildProcess(
            executable: executable,
            arguments: [
                "simulate", "--port", "0", "--control-port", "0", "--dir", "\(directory)/simulator",
                "--environment", "sandbox", "--json", "--exit-on-stdin-close",
            ] + simulatorArguments,
            log: "\(directory)/simulator.log"
        )
        do {
            let endpoints = try await simulator.ready(SimulatorEndpoints.self)
            let data = Self.data(in: directory)
            let clock = goesBySimulator ? Self.clockArguments(endpoints) : []
            let draft = NewAPIKey(name: "stage", scopes: [.admin])
            let key = try await ServerStore.open(data: data, url: storeURL) { store, _ in
                try await prepare(store)
                return try await LocalAPIKeyRepository(store: store).create(draft)
            }
            try MasterKeyFile.make(in: data)
            let server = try ChildProcess(
                executable: executable,
                arguments: [
                    "serve", "--port", "0", "--data", data, "--wait-timeout-seconds", "60", "--json",
                    "--exit-on-stdin-close",
                    "--apns-sandbox-host", "localhost", "--apns-sandbox-port", "\(endpoints.port)",
                    "--apns-sandbox-ca", "\(directory)/simulator/ca.pem",
                ] + clock + serverArguments,
                environment: ServerStore.environment(url: storeURL),
                log: "\(directory)/server.log"
            )
            return LocalTestEnvironment(
                directory: directory,
                executable: executable,
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

    /// Starts a scheduler on the store of the server, with the simulator's clock.
    ///
    /// - Throws: ``CommandError`` `.not_ready` with the end of its log.
    package func startScheduler() async throws -> ChildProcess {
        let scheduler = try ChildProcess(
            executable: self.executable,
            arguments: ["schedule", "--data", Self.data(in: self.directory), "--json", "--exit-on-stdin-close"]
                + Self.clockArguments(self.simulator),
            log: "\(self.directory)/scheduler.log"
        )
        _ = try await scheduler.ready(WorkerReady.self)
        return scheduler
    }

    /// Creates an app with the simulator's key as its credential.
    package func createApp(_ id: String, name: String) async throws {
        struct App: Encodable {
            let id: String
            let name: String
            let defaultEnvironment = "sandbox"
        }
        _ = try await self.api.call(.post, "/v1/apps", sending: App(id: id, name: name))
        try await self.addCredential(to: id)
    }

    /// Gives an app the simulator's key as its credential.
    package func addCredential(to app: String) async throws {
        struct Credential: Encodable {
            let type = "key"
            let keyID: String
            let teamID: String
            let p8: String
        }
        let credential = Credential(
            keyID: self.simulator.keyID,
            teamID: self.simulator.teamID,
            p8: try InputFile.text("\(self.directory)/simulator/demo-key.p8")
        )
        _ = try await self.api.call(.post, "/v1/apps/\(app)/credentials", sending: credential)
    }

    /// The directory of the server's store.
    package static func data(in directory: String) -> String { "\(directory)/server" }

    /// Lets a process go by the simulator's time of day.
    private static func clockArguments(_ simulator: SimulatorEndpoints) -> [String] {
        ["--clock-simulator", self.controlURL(simulator)]
    }

    private static func controlURL(_ simulator: SimulatorEndpoints) -> String {
        "http://127.0.0.1:\(simulator.controlPort)"
    }

    /// Stops both processes, the server first, so that it can finish its work.
    ///
    /// - Throws: ``CommandError`` `.not_stopped` if one of them failed.
    package func close() async throws {
        try await self.serverProcess.close()
        try await self.simulatorProcess.close()
    }
}
