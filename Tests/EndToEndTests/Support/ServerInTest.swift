// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import Foundation
import PushModel

@testable import apus

/// A server process over one data directory that sends to a simulator of the test's own process.
///
/// The process can be killed and started again; the data directory stays.
struct ServerInTest: Sendable {
    static let app = "com.example.app"

    let directory: String
    let simulator: APNsSimulator

    /// An API key that may do everything.
    let key: String

    /// Prepares the data directory: an API key, and the certificate authority of the simulator.
    init(in directory: String, simulator: APNsSimulator) async throws {
        self.directory = directory
        self.simulator = simulator
        try Data(simulator.caPEM.utf8).write(to: URL(fileURLWithPath: "\(directory)/ca.pem"))
        self.key = try await LocalStore.open("\(directory)/data") { store in
            try await LocalKeyBook(store: store).create(KeyDraft(name: "test", scopes: [.admin])).key ?? ""
        }
    }

    /// Starts the process and waits until it answers requests.
    ///
    /// - Parameters:
    ///   - with: what runs beside the API: `delivery` or `none`.
    ///   - environment: added to the environment of the tests.
    func start(with roles: String = "delivery", environment: [String: String] = [:]) async throws -> Running {
        let process = try ChildProcess(
            executable: BuiltExecutable.path,
            arguments: [
                "serve", "--port", "0", "--data", "\(self.directory)/data", "--with", roles, "--json",
                "--until-input-ends", "--apns-sandbox-host", "localhost",
                "--apns-sandbox-port", "\(self.simulator.port)", "--apns-sandbox-ca", "\(self.directory)/ca.pem",
            ],
            environment: environment,
            log: "\(self.directory)/server.log"
        )
        let ready = try await process.ready(ServerReady.self)
        return Running(process: process, api: APIClient(url: ready.url, key: self.key))
    }

    /// A process that answers requests.
    struct Running: Sendable {
        let process: ChildProcess
        let api: APIClient

        /// Creates the app with the simulator's provider key.
        func createApp(_ simulator: APNsSimulator) async throws {
            let key = simulator.demoKey
            let app = ["id": ServerInTest.app, "defaultEnvironment": "sandbox"]
            _ = try await self.api.call(.post, "/v1/apps", sending: app)
            let credential = ["kind": "key", "keyID": key.keyID, "teamID": key.teamID, "p8": key.p8]
            _ = try await self.api.call(.post, "/v1/apps/\(ServerInTest.app)/credentials", sending: credential)
        }

        /// Hands over tokens to send to, without waiting for the outcomes.
        func send(to tokens: [String]) async throws -> NotificationAnswer {
            struct Request: Encodable {
                struct Targets: Encodable {
                    let tokens: [String]
                }
                let targets: Targets
                let notification = ["title": "Hello"]
            }
            let path = "/v1/apps/\(ServerInTest.app)/notifications"
            return try await self.api.call(.post, path, sending: Request(targets: .init(tokens: tokens))).decoded()
        }

        /// How far a notification has come.
        func status(of notification: String) async throws -> NotificationAnswer {
            try await self.api.call(.get, "/v1/apps/\(ServerInTest.app)/notifications/\(notification)").decoded()
        }

        /// Asks until every target has its outcome.
        func settled(_ notification: String) async throws -> NotificationAnswer {
            while true {
                let answer = try await self.status(of: notification)
                if answer.isDone { return answer }
            }
        }

        /// Ends the process as a power cut would, and waits until it is gone.
        func kill() async {
            self.process.kill()
            _ = await self.process.exitStatus()
        }
    }
}
