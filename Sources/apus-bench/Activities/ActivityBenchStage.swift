// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import Logging
import PushModel
import PushStore

/// A server process over a copy of a prepared store, and the simulator in this process, which sees what arrives at phones.
struct ActivityBenchStage: Sendable {
    let api: APIClient
    let server: Int32
    let simulator: APNsSimulator

    /// Starts both, hands them to `body`, and stops them.
    ///
    /// - Throws: ``CommandFailure`` when one of both does not start or stop, and what `body` throws.
    static func with<Value: Sendable>(
        _ prepared: StoreTemplate,
        _ population: ActivityPopulation,
        _ body: (ActivityBenchStage) async throws -> Value
    ) async throws -> Value {
        var simulated = APNsSimulatorConfiguration(
            retainedNotifications: 1,
            retainedNotificationsInAll: 1000,
            population: population.configuration,
            // As many as there could ever be: none may be missed.
            deliveryBuffer: 10 * population.configuration.count
        )
        simulated.retainedBytesInAll = 16 << 20
        let silent = Logger(label: "apus.bench.simulator") { _ in SwiftLogNoOpLogHandler() }
        return try await BenchDirectory.with { directory in
            try await prepared.withCopy(at: "\(directory)/server") { store in
                try await withAPNsSimulator(simulated, logger: silent) { simulator in
                    let stage = try await self.start(simulator, store, in: directory)
                    do {
                        let value = try await body(stage.stage)
                        guard await stage.process.stop() == 0 else {
                            throw CommandFailure("not_stopped", "The server did not end well:\n\(stage.process.logEnd)")
                        }
                        return value
                    } catch {
                        await stage.process.stop()
                        throw error
                    }
                }
            }
        }
    }

    private static func start(
        _ simulator: APNsSimulator,
        _ store: BenchStore,
        in directory: String
    ) async throws -> (stage: ActivityBenchStage, process: ChildProcess) {
        try Data(simulator.caPEM.utf8).write(to: URL(fileURLWithPath: "\(directory)/ca.pem"))
        let draft = KeyDraft(name: "bench", scopes: [.admin])
        let key = try await store.open { try await LocalKeyBook(store: $0).create(draft) }
        try MasterKeyFile.make(in: store.data)
        let process = try ChildProcess(
            executable: try ApusExecutable.path(),
            arguments: [
                "serve", "--port", "0", "--data", store.data, "--json", "--until-input-ends", "--apns-sandbox-host",
                "localhost", "--apns-sandbox-port", "\(simulator.port)", "--apns-sandbox-ca", "\(directory)/ca.pem",
            ],
            environment: ServerStore.environment(url: store.url),
            log: "\(directory)/server.log"
        )
        do {
            let ready = try await process.ready(ServerReady.self)
            let api = APIClient(url: ready.url, key: key.key ?? "")
            let demo = simulator.demoKey
            let credential = ["kind": "key", "keyID": demo.keyID, "teamID": demo.teamID, "p8": demo.p8]
            let path = "/v1/apps/\(ActivityPopulation.app)/credentials"
            _ = try await api.call(.post, path, sending: credential)
            let stage = ActivityBenchStage(api: api, server: process.processID, simulator: simulator)
            return (stage, process)
        } catch {
            await process.stop()
            throw error
        }
    }
}

/// Rides that are shown by one phone each: what a server and the simulator know of them.
struct ActivityPopulation: Sendable {
    static let app = BenchNotification.topic
    static let type = "RideAttributes"

    /// How many calls are under way at once while a store is filled, so that they share commits.
    private static let callsAtOnce = 256

    let configuration: PopulationConfiguration

    init(count: Int) throws {
        self.configuration = try PopulationConfiguration(count: count, app: "\(Self.app).push-type.liveactivity")
    }

    /// The update tokens of the rides.
    var tokens: PopulationTokens { PopulationTokens(self.configuration) }

    static func name(_ number: Int) -> String { "ride-\(number)" }

    /// Keeps all rides as apps that have started them tell of them.
    func fill(_ store: any ActivityStore & AppStore) async throws {
        let app = try AppID(validating: Self.app)
        try await store.createApp(App(id: app, name: "bench", defaultEnvironment: .sandbox, createdAt: Date()))
        let tokens = self.tokens
        Console.note("keeping \(tokens.count) activities")
        let began = ContinuousClock.now
        defer {
            let seconds = ((ContinuousClock.now - began) / .seconds(1)).rounded(toPlaces: 1)
            Console.note("kept in \(seconds) s")
        }
        try await Self.each(tokens.count) { number in
            let now = Date()
            let activity = try Activity(
                id: PushModel.ActivityID(validating: Self.name(number)),
                app: app,
                attributesType: AttributesType(validating: Self.type),
                attributes: nil,
                contentState: JSONFragment(json: #"{"fee":0,"meters":0,"seconds":0}"#),
                now: now
            )
            let upload = ActivityTokenUpload(
                installation: try InstallationID(validating: "phone-\(number)"),
                token: try DeviceToken(hex: tokens[number]),
                environment: .sandbox
            )
            _ = try await store.receive(upload, for: activity.id, of: app, creating: activity, now: now)
        }
    }

    /// Does something for each number below a count, with many under way at a time.
    static func each(_ count: Int, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                if number >= self.callsAtOnce { try await group.next() }
                group.addTask { try await body(number) }
            }
            try await group.waitForAll()
        }
    }
}
