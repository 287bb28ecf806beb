// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import Logging
import PushModel
import PushStore

/// A store whose server processes are killed and started again, and the simulator that they send to.
struct RestartedServer: Sendable {
    static let app = "com.example.takeover"

    let store: BenchStore
    let simulator: APNsSimulator
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
            let key = try await self.fill(store)
            let silent = Logger(label: "apus.bench.simulator") { _ in SwiftLogNoOpLogHandler() }
            let configuration = APNsSimulatorConfiguration(
                retainedNotifications: 1,
                retainedNotificationsInAll: 1000,
                deliveryBuffer: deliveryBuffer
            )
            let value = try await withAPNsSimulator(configuration, logger: silent) { simulator in
                try Data(simulator.caPEM.utf8).write(to: URL(fileURLWithPath: "\(directory)/ca.pem"))
                return try await body(
                    RestartedServer(
                        store: store,
                        simulator: simulator,
                        key: key,
                        directory: directory,
                        arguments: arguments
                    )
                )
            }
            try await database?.drop(name)
            return value
        }
    }

    /// Creates the app.
    ///
    /// - Returns: an API key.
    private static func fill(_ store: BenchStore) async throws -> String {
        let key = try await store.open { store in
            let app = App(
                id: try AppID(validating: Self.app),
                name: "takeover",
                defaultEnvironment: .sandbox,
                createdAt: Date()
            )
            try await store.createApp(app)
            return try await LocalKeyBook(store: store).create(KeyDraft(name: "takeover", scopes: [.admin])).key ?? ""
        }
        if store.url != nil { try MasterKeyFile.make(in: store.data) }
        return key
    }

    /// Starts a process and waits until it accepts requests.
    func start() async throws -> (process: ChildProcess, api: APIClient) {
        let process = try ChildProcess(
            executable: try ApusExecutable.path(),
            arguments: [
                "serve", "--data", self.store.data, "--json", "--until-input-ends", "--port", "0",
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
        let secret = ["kind": "key", "keyID": credential.keyID, "teamID": credential.teamID, "p8": credential.p8]
        _ = try await api.call(.post, "/v1/apps/\(Self.app)/credentials", sending: secret)
    }
}
