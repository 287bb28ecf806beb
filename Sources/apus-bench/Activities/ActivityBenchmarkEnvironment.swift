// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import PushModel
import PushStore

/// A server process with a copy of a prepared store, and the simulator in this process, which records deliveries.
struct ActivityBenchmarkEnvironment: Sendable {
    let api: APIClient
    let server: Int32
    let simulator: APNsSimulator

    /// Starts both, hands them to `body`, and stops them.
    ///
    /// - Throws: ``CommandError`` when one of both does not start or stop, and what `body` throws.
    static func with<Value: Sendable>(
        _ prepared: StoreTemplate,
        _ population: ActivityPopulation,
        _ body: (ActivityBenchmarkEnvironment) async throws -> Value
    ) async throws -> Value {
        var simulated = APNsSimulatorConfiguration(
            retainedNotifications: 1,
            retainedNotificationsInAll: 1000,
            population: population.configuration,
            // The maximum number of deliveries, so that none is missed.
            deliveryBuffer: 10 * population.configuration.count
        )
        simulated.retainedBytesInAll = 16 << 20
        return try await BenchDirectory.with { directory in
            try await prepared.withCopy(at: "\(directory)/server") { store in
                try await RestartedServer.with(store, of: ActivityPopulation.app, simulated, in: directory) { server in
                    let (process, api) = try await server.start()
                    return try await perform {
                        try await server.addCredential(api)
                        return try await body(
                            ActivityBenchmarkEnvironment(
                                api: api,
                                server: process.processID,
                                simulator: server.simulator
                            )
                        )
                    } finally: {
                        try await process.close()
                    }
                }
            }
        }
    }
}

/// Rides with one device each, as test data for the server and the simulator.
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

    /// Stores all rides, as reported by apps that started them.
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
                contentState: RawJSONObject(json: #"{"fee":0,"meters":0,"seconds":0}"#),
                now: now
            )
            let upload = UpdateTokenRegistration(
                installation: try DeviceID(validating: "phone-\(number)"),
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
