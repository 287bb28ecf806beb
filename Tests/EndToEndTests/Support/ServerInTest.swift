// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import CommandLineSupport
import Foundation
import Logging
import PushModel
import PushStore
import StoreTesting
import Testing

@testable import apus

/// A server process over one data directory that sends to a simulator of the test's own process.
///
/// The process can be killed and started again; the data directory stays.
struct ServerInTest: Sendable {
    static let app = "com.example.app"

    let directory: String
    let simulator: APNsSimulator

    /// The PostgreSQL database that is the store; `nil` means a file in the data directory.
    let storeURL: String?

    /// An API key that may do everything.
    let key: String

    /// Prepares the data directory: an API key, and the certificate authority of the simulator.
    init(in directory: String, simulator: APNsSimulator, storeURL: String? = nil) async throws {
        self.directory = directory
        self.storeURL = storeURL
        self.simulator = simulator
        try Data(simulator.caPEM.utf8).write(to: URL(fileURLWithPath: "\(directory)/ca.pem"))
        self.key = try await ServerStore.open(data: "\(directory)/data", url: storeURL) { store, _ in
            try await LocalAPIKeyRepository(store: store).create(NewAPIKey(name: "test", scopes: [.admin])).key ?? ""
        }
        if storeURL != nil { try MasterKeyFile.make(in: "\(directory)/data") }
    }

    /// Starts the process and waits until it answers requests.
    ///
    /// - Parameters:
    ///   - roles: what runs beside the API: `delivery` or `none`.
    ///   - environment: added to the environment of the tests.
    ///   - arguments: more of the command line; a flag counts as it is given last.
    ///   - launcher: a program that runs the command behind its own arguments.
    func start(
        with roles: String = "delivery",
        environment: [String: String] = [:],
        arguments: [String] = [],
        through launcher: [String] = []
    ) async throws -> Running {
        let process = try self.spawn(
            ["serve", "--port", "0", "--with", roles] + arguments,
            environment: environment,
            through: launcher
        )
        // With its log on the same pipe other lines may come first.
        while let line = await process.nextLine() {
            guard let ready = try? JSON.decoder.decode(ServerReady.self, from: Data(line.utf8)) else { continue }
            return Running(
                process: process,
                api: APIClient(url: ready.url, key: self.key),
                environment: ["APUS_URL": ready.url, "APUS_API_KEY": self.key],
                directory: self.directory,
                hasFile: self.storeURL == nil,
                proxyPort: ready.proxyPort
            )
        }
        throw CommandError("not_ready", "\(process.name) did not become ready:\n\(process.logEnd)")
    }

    /// Opens the store beside the servers.
    func withStore(_ body: (any PushStore) async throws -> Void) async throws {
        try await ServerStore.open(data: "\(self.directory)/data", url: self.storeURL) { store, _ in
            try await body(store)
        }
    }

    /// Starts a worker beside the servers and waits until it works.
    func startWorker(
        _ role: Worker.Role,
        environment: [String: String] = [:],
        arguments: [String] = []
    ) async throws -> (process: ChildProcess, ready: WorkerReady) {
        let process = try self.spawn([role.rawValue] + arguments, environment: environment)
        return (process, try await process.ready(WorkerReady.self))
    }

    private func spawn(
        _ arguments: [String],
        environment: [String: String],
        through launcher: [String] = []
    ) throws -> ChildProcess {
        let place = [
            "--data", "\(self.directory)/data", "--json", "--exit-on-stdin-close", "--apns-sandbox-host", "localhost",
            "--apns-sandbox-port", "\(self.simulator.port)", "--apns-sandbox-ca", "\(self.directory)/ca.pem",
            "--apns-sandbox-channel-host", "localhost", "--apns-sandbox-channel-port",
            "\(self.simulator.channelPort)",
        ]
        let command = launcher + [BuiltExecutable.path, arguments[0]] + place + arguments.dropFirst()
        // On a busy machine the simulator may take long to answer.
        var defaults = ["APUS_APNS_TIMEOUT_SECONDS": "300"]
        defaults["APUS_STORE_URL"] = self.storeURL
        return try ChildProcess(
            executable: command[0],
            arguments: Array(command.dropFirst()),
            environment: environment.merging(defaults) { given, _ in given },
            log: "\(self.directory)/server.log"
        )
    }

    /// Runs a test with a simulator and a server that has the app with the simulator's key; the server has to end well.
    ///
    /// It waits for outcomes for as long as a server can.
    static func with(
        roles: String = "delivery",
        on store: TestStoreBackend = .sqlite,
        _ body: (APNsSimulator, Running) async throws -> Void
    ) async throws {
        let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: silent) { simulator in
                switch store {
                case .sqlite: try await self.run(roles, in: directory, simulator, storeURL: nil, body)
                case .postgres:
                    try await TestPostgresDatabase.withDatabase { database in
                        try await self.run(roles, in: directory, simulator, storeURL: database.url, body)
                    }
                }
            }
        }
    }

    private static func run(
        _ roles: String,
        in directory: String,
        _ simulator: APNsSimulator,
        storeURL: String?,
        _ body: (APNsSimulator, Running) async throws -> Void
    ) async throws {
        let server = try await ServerInTest(in: directory, simulator: simulator, storeURL: storeURL)
        let running = try await server.start(with: roles, environment: ["APUS_WAIT_TIMEOUT_SECONDS": "60"])
        do {
            try await running.createApp(simulator)
            try await body(simulator, running)
        } catch {
            await running.kill()
            throw error
        }
        #expect(await running.process.stop() == 0)
    }

    /// A process that answers requests.
    struct Running: Sendable {
        let process: ChildProcess
        let api: APIClient

        /// By which commands find this server and may use it.
        let environment: [String: String]

        let directory: String

        /// Whether the store is a file.
        let hasFile: Bool

        /// The port for clients of apns-proxy-server.
        let proxyPort: Int?

        /// Runs a command of `apus` against this server.
        func apus(_ arguments: String...) async throws -> CommandRun { try await self.apus(arguments) }

        /// Runs a command of `apus` against this server.
        func apus(_ arguments: [String]) async throws -> CommandRun {
            try await CommandRun(arguments, environment: self.environment, in: self.directory)
        }

        /// Creates the app with the simulator's provider key.
        func createApp(_ simulator: APNsSimulator) async throws {
            let app = ["id": ServerInTest.app, "defaultEnvironment": "sandbox"]
            _ = try await self.api.call(.post, "/v1/apps", sending: app)
            try await self.addCredential(simulator)
        }

        /// Gives the app, which there is already, the simulator's provider key.
        func addCredential(_ simulator: APNsSimulator) async throws {
            try await self.addKey(simulator.demoKey)
        }

        /// Gives the app, which there is already, a provider key.
        func addKey(_ key: SimulatorProviderKey) async throws {
            let credential = ["type": "key", "keyID": key.keyID, "teamID": key.teamID, "p8": key.p8]
            _ = try await self.api.call(.post, "/v1/apps/\(ServerInTest.app)/credentials", sending: credential)
        }

        /// Hands over tokens to send to, without waiting for the outcomes.
        func send(to tokens: [String]) async throws -> NotificationResponse {
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

        /// Begins a campaign to every device, at so many a second if that is given.
        func beginCampaign(ratePerSecond: Int? = nil) async throws -> CampaignResponse {
            let rate = ratePerSecond.map { #","ratePerSecond":\#($0)"# } ?? ""
            let message = #"{"default":{"payload":{"aps":{"alert":"Hello"}}}}"#
            let body = #"{"name":"test","audience":{"all":true},"message":\#(message)\#(rate)}"#
            let path = "/v1/apps/\(ServerInTest.app)/campaigns"
            return try await self.api.call(.post, path, body: Data(body.utf8)).decoded()
        }

        /// Pauses, resumes or cancels a campaign.
        ///
        /// - Returns: when the server had answered.
        func steer(_ verb: String, _ campaign: CampaignResponse) async throws -> Date {
            _ = try await self.api.call(.post, "/v1/apps/\(ServerInTest.app)/campaigns/\(campaign.id):\(verb)")
            return Date()
        }

        /// How far a campaign has come.
        func status(of campaign: CampaignResponse) async throws -> CampaignResponse {
            try await self.api.call(.get, "/v1/apps/\(ServerInTest.app)/campaigns/\(campaign.id)").decoded()
        }

        /// Whether the client of APNs has sent anything again, as it does where a machine that is busy takes a connection for dead.
        func hasResent() async throws -> Bool { try await self.metric("apus_apns_retries_total") > 0 }

        /// What a metric of the process says: the sum of all that has this label, or of all.
        ///
        /// - Parameters:
        ///   - name: the metric's name.
        ///   - label: a label as it is written, such as `result="completed"`.
        func metric(_ name: String, _ label: String = "") async throws -> Int {
            let lines = try await self.api.call(.get, "/metrics").text.split(separator: "\n")
            let own = lines.filter { line in
                line.prefix { $0 != "{" && $0 != " " } == name && (label.isEmpty || line.contains(label))
            }
            try #require(!own.isEmpty || !label.isEmpty, "there is no metric \(name)")
            return Int(own.compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0, +))
        }

        /// Asks until a campaign has come so far.
        func progress(
            of campaign: CampaignResponse,
            until condition: (CampaignResponse.Progress) -> Bool
        ) async throws -> CampaignResponse.Progress {
            while true {
                let progress = try await self.status(of: campaign).progress
                if condition(progress) { return progress }
            }
        }

        /// Asks until nothing is sent for the app for this cause.
        func isPaused(by cause: String) async throws {
            struct Answer: Decodable {
                struct Line: Decodable {
                    let cause: String?
                }
                let circuits: [Line]
            }
            while true {
                let path = "/v1/apps/\(ServerInTest.app)/delivery"
                let answer: Answer = try await self.api.call(.get, path).decoded()
                if answer.circuits.contains(where: { $0.cause == cause }) { return }
            }
        }

        /// Asks until nothing of a campaign will change any more.
        func settled(_ campaign: CampaignResponse) async throws -> CampaignResponse {
            while true {
                let answer = try await self.status(of: campaign)
                if answer.progress.isCompleted { return answer }
            }
        }

        /// How far a notification has come.
        func status(of notification: String) async throws -> NotificationResponse {
            try await self.api.call(.get, "/v1/apps/\(ServerInTest.app)/notifications/\(notification)").decoded()
        }

        /// Asks until every target has its outcome.
        func settled(_ notification: String) async throws -> NotificationResponse {
            while true {
                let answer = try await self.status(of: notification)
                if answer.isDone { return answer }
            }
        }

        /// Makes the process stand still at an instant at which it does not write to the store.
        ///
        /// SQLite's lock belongs to whoever stands still while he has it: then nobody else could go on either. PostgreSQL's
        /// row locks end with the transaction's time-out, so that any instant will do.
        func standStillBetweenWrites() async throws {
            guard self.hasFile else { return self.process.standStill() }
            let intruder = try Intruder(path: "\(self.directory)/data/apus.db")
            while true {
                self.process.standStill()
                if await intruder.canWrite() { return }
                self.process.goOn()
                // On a busy machine, it would be stopped again before it ran.
                while await !intruder.canWrite() {}
            }
        }

        /// Ends the process as a power cut would, and waits until it is gone.
        func kill() async {
            self.process.kill()
            await self.process.end()
        }
    }
}
