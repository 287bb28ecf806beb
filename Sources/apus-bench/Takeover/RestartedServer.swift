// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import Logging
import PushModel
import PushStore

/// A store whose server processes start one after another, with a simulator in this process.
struct RestartedServer: Sendable {
    /// The app of a new store.
    static let app = "com.example.takeover"

    let store: BenchStore
    let simulator: APNsSimulator
    private let credentials: String
    private let key: String
    private let directory: String
    private let arguments: [String]

    /// Creates a store with an app, and starts the simulator.
    ///
    /// The store is a new database of the server at `url`, or a file. `arguments` are those of each process.
    static func with<Value: Sendable>(
        url: String?,
        deliveryBuffer: Int,
        arguments: [String] = [],
        _ body: (RestartedServer) async throws -> Value
    ) async throws -> Value {
        try await BenchDirectory.with { directory in
            let database = url.map { DatabaseServer(url: $0, log: "\(directory)/psql.log") }
            let name = "takeover-\(UUID().uuidString.lowercased())"
            try await database?.create(name)
            let store = BenchStore(data: "\(directory)/store", url: database?.url(of: name))
            try await store.open { store in
                let id = try AppID(validating: Self.app)
                try await store.createApp(App(id: id, name: "bench", defaultEnvironment: .sandbox, createdAt: Date()))
            }
            let configuration = APNsSimulatorConfiguration(
                retainedNotifications: 1,
                retainedNotificationsInAll: 1000,
                deliveryBuffer: deliveryBuffer
            )
            let value = try await self.with(
                store,
                of: Self.app,
                configuration,
                arguments: arguments,
                in: directory,
                body
            )
            try await database?.drop(name)
            return value
        }
    }

    /// Creates an API key in a store, and starts the simulator.
    ///
    /// `app` is the app that credentials are added to. `arguments` are those of each process.
    static func with<Value: Sendable>(
        _ store: BenchStore,
        of app: String,
        _ configuration: APNsSimulatorConfiguration,
        arguments: [String] = [],
        in directory: String,
        _ body: (RestartedServer) async throws -> Value
    ) async throws -> Value {
        let draft = NewAPIKey(name: "bench", scopes: [.admin])
        let key = try await store.open { try await LocalAPIKeyRepository(store: $0).create(draft).key ?? "" }
        try MasterKeyFile.make(in: store.data)
        let silent = Logger(label: "apus.bench.simulator") { _ in SwiftLogNoOpLogHandler() }
        return try await withAPNsSimulator(configuration, logger: silent) { simulator in
            try Data(simulator.caPEM.utf8).write(to: URL(fileURLWithPath: "\(directory)/ca.pem"))
            return try await body(
                RestartedServer(
                    store: store,
                    simulator: simulator,
                    credentials: "/v1/apps/\(app)/credentials",
                    key: key,
                    directory: directory,
                    arguments: arguments
                )
            )
        }
    }

    /// Starts a process and waits until it accepts requests.
    func start() async throws -> (process: ChildProcess, api: APIClient) {
        let process = try ChildProcess(
            executable: try ApusExecutable.path(),
            arguments: [
                "serve", "--data", self.store.data, "--json", "--exit-on-stdin-close", "--port", "0",
                "--apns-sandbox-host", "localhost", "--apns-sandbox-port", "\(self.simulator.port)",
                "--apns-sandbox-ca", "\(self.directory)/ca.pem",
            ] + self.arguments,
            environment: ServerStore.environment(url: self.store.url),
            log: "\(self.directory)/server.log"
        )
        return (process, APIClient(url: try await process.ready(ServerReady.self).url, key: self.key))
    }

    /// Adds the simulator's authentication key to the app.
    func addCredential(_ api: APIClient) async throws {
        let credential = self.simulator.demoKey
        let secret = ["type": "key", "keyID": credential.keyID, "teamID": credential.teamID, "p8": credential.p8]
        _ = try await api.call(.post, self.credentials, sending: secret)
    }
}
