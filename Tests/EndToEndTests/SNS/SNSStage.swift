// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import CommandLineSupport
import Foundation
import Testing

/// A simulator of Apple's production service, a server that sends to it, and an access key by which AWS' own clients use
/// that server as SNS.
struct SNSStage: Sendable {
    static let app = "com.yourcompany.ios-watchme-v9"
    static let account = "123456789012"
    static let region = "ap-northeast-1"

    let directory: String
    let simulator: SimulatorProcess
    let server: ChildProcess

    /// The server's address.
    let url: String

    let key: KeyResponse

    /// Starts both, runs `body` and stops them; the server has to end well.
    static func with(arguments: [String] = [], _ body: (SNSStage) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let simulator = try await SimulatorProcess(in: directory, arguments: ["--environment", "production"])
            let made = try await CommandRun(
                ["keys", "create", "worker", "--scope", "admin", "--access-key"]
                    + ["--data", "\(directory)/data", "--json"],
                in: directory
            )
            #expect(made.status == 0, "\(made.errors)")
            let key: KeyResponse = try made.lastLine()
            let server = try ChildProcess(
                executable: BuiltExecutable.path,
                arguments: [
                    "serve", "--port", "0", "--data", "\(directory)/data", "--json", "--exit-on-stdin-close",
                    "--sns-account", Self.account, "--apns-production-host", "localhost", "--apns-production-port",
                    "\(simulator.endpoints.port)", "--apns-production-ca", simulator.endpoints.caPath ?? "",
                ] + arguments,
                log: "\(directory)/server.log"
            )
            let ready = try await server.ready(ServerReady.self)
            let stage = SNSStage(
                directory: directory,
                simulator: simulator,
                server: server,
                url: ready.url,
                key: key
            )
            do {
                try await body(stage)
            } catch {
                server.kill()
                simulator.process.kill()
                throw error
            }
            #expect(await server.stop() == 0, "\(server.logEnd)")
            #expect(await simulator.process.stop() == 0)
        }
    }

    /// What AWS' clients are told: all that a worker changes when it moves over.
    var environment: [String: String] {
        [
            "AWS_ENDPOINT_URL_SNS": self.url, "AWS_ACCESS_KEY_ID": self.key.accessKeyID ?? "",
            "AWS_SECRET_ACCESS_KEY": self.key.secretAccessKey ?? "", "AWS_DEFAULT_REGION": Self.region,
            "AWS_EC2_METADATA_DISABLED": "true", "AWS_PAGER": "", "HOME": self.directory,
        ]
    }

    /// Runs a script of the folder of Python clients.
    func python(_ script: String, _ environment: [String: String] = [:]) async throws -> [String] {
        try await PythonEnvironment.run(
            [PythonEnvironment.file("Tests/EndToEndTests/PythonClients/Scripts/\(script)")],
            environment: self.environment.merging(environment) { $1 },
            in: self.directory
        )
    }

    /// Runs `aws` and reads what it prints as JSON.
    @discardableResult
    func aws(_ arguments: String...) async throws -> [String: Any] { try await self.aws(arguments) }

    /// Calls `aws` and reads what it prints as JSON.
    @discardableResult
    func aws(_ arguments: [String], adding environment: [String: String] = [:]) async throws -> [String: Any] {
        let lines = try await PythonEnvironment.run(
            ["-m", "awscli"] + arguments + ["--output", "json"],
            environment: self.environment.merging(environment) { $1 },
            in: self.directory
        )
        let text = lines.joined(separator: "\n")
        guard !text.isEmpty else { return [:] }
        return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    /// A phone with the app, and the app's token.
    func phone() async throws -> (id: String, token: String) {
        let device = try await self.simulator.call(
            .post,
            "/v1/devices",
            ["apps": [Self.app], "environment": "production"]
        )
        let tokens = try #require(device["tokens"] as? [String: String])
        return (try #require(device["id"] as? String), try #require(tokens[Self.app]))
    }

    /// What has arrived at a phone, oldest first, once there is as much of it.
    func inbox(of phone: String, count: Int) async throws -> [[String: Any]] {
        while true {
            let device = try await self.simulator.call(.get, "/v1/devices/\(phone)")
            let inbox = try #require(device["notifications"] as? [[String: Any]])
            if inbox.count >= count { return inbox }
        }
    }

    /// A push certificate of Apple's in a PKCS #12 file, in Base64.
    func certificate(password: String) async throws -> String {
        let issued = try await self.simulator.call(
            .post,
            "/v1/certificates",
            ["bundleID": Self.app, "password": password]
        )
        return try #require(issued["p12"] as? String)
    }
}
