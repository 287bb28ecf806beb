// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import Logging
import PushModel
import PushStore

/// One process that is killed while it sends a notification, and the process that sends the rest.
struct TakeoverRound: Sendable {
    /// The outcome of a round.
    struct Result: Sendable {
        /// The time from the kill to the next push.
        let milliseconds: Double

        /// How many targets were sent nothing.
        let lost: Int

        /// How many pushes repeated an earlier one under its `apns-id`.
        let duplicates: Int

        /// How many devices received pushes under several IDs.
        let duplicatesOtherID: Int
    }

    private static let app = "com.example.takeover"

    /// The most notifications that a process has in flight.
    private static let window = 200

    let targets: Int

    /// Whether another process runs when the first one is killed.
    let hasSuccessor: Bool

    /// Runs the round on a new store: a database of the server at `url`, or a file.
    func run(url: String?) async throws -> Result {
        try await BenchDirectory.with { directory in
            let server = url.map { DatabaseServer(url: $0, log: "\(directory)/psql.log") }
            let name = "takeover-\(UUID().uuidString.lowercased())"
            try await server?.create(name)
            let store = BenchStore(data: "\(directory)/store", url: server?.url(of: name))
            let result = try await self.run(on: store, in: directory)
            try await server?.drop(name)
            return result
        }
    }

    private func run(on store: BenchStore, in directory: String) async throws -> Result {
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
        let silent = Logger(label: "apus.bench.simulator") { _ in SwiftLogNoOpLogHandler() }
        let configuration = APNsSimulatorConfiguration(deliveryBuffer: 4 * self.targets)
        return try await withAPNsSimulator(configuration, logger: silent) { simulator in
            let tokens = try simulator.bootDevices(self.targets, apps: [Self.app])
            try Data(simulator.caPEM.utf8).write(to: URL(fileURLWithPath: "\(directory)/ca.pem"))
            let first = try await self.start(store, simulator, in: directory)
            do {
                return try await self.run(first, key, tokens, store, simulator, in: directory)
            } catch {
                first.process.kill()
                throw error
            }
        }
    }

    private func run(
        _ first: (process: ChildProcess, url: String),
        _ key: String,
        _ tokens: [DeviceToken],
        _ store: BenchStore,
        _ simulator: APNsSimulator,
        in directory: String
    ) async throws -> Result {
        var arrivals = simulator.deliveries().makeAsyncIterator()
        let api = APIClient(url: first.url, key: key)
        let credential = simulator.demoKey
        let secret = ["kind": "key", "keyID": credential.keyID, "teamID": credential.teamID, "p8": credential.p8]
        _ = try await api.call(.post, "/v1/apps/\(Self.app)/credentials", sending: secret)
        // It cannot send all before it is killed: later pushes get no response.
        let answered = Int.random(in: 0..<(self.targets - 2 * Self.window))
        simulator.inject(SimulatorFault(.hold, skip: answered))
        _ = try await api.call(.post, "/v1/apps/\(Self.app)/notifications", body: Self.body(tokens))
        var counts = Counts()
        while counts.pushes.count <= answered, let arrival = await arrivals.next() { counts.add(arrival) }

        let running = self.hasSuccessor ? try await self.start(store, simulator, in: directory) : nil
        let kill = ContinuousClock.now
        first.process.kill()
        _ = await first.process.exitStatus()
        // The pushes that the first process wrote arrive while its connections are open. The second one has none yet.
        try await self.wait { simulator.statistics.openConnections == 0 }
        simulator.clearFaults()
        let late = simulator.statistics.delivered
        async let started: (process: ChildProcess, url: String)? =
            running == nil ? self.start(store, simulator, in: directory) : nil
        try await self.wait { simulator.statistics.delivered > late }
        let milliseconds = (ContinuousClock.now - kill) / .milliseconds(1)
        let second = try await started ?? running

        while counts.pushes.count < self.targets, let arrival = await arrivals.next() { counts.add(arrival) }
        _ = await second?.process.stop()
        while counts.total < simulator.statistics.delivered, let arrival = await arrivals.next() { counts.add(arrival) }
        return Result(
            milliseconds: milliseconds,
            lost: self.targets - counts.devices.count,
            duplicates: counts.total - counts.pushes.count,
            duplicatesOtherID: counts.pushes.count - counts.devices.count
        )
    }

    /// Waits until a condition holds, to the millisecond.
    private func wait(until condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(120)
        while !condition() {
            guard ContinuousClock.now < deadline else {
                throw CommandFailure("too_slow", "No process continued within 120 seconds.")
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// The pushes that arrived.
    private struct Counts {
        var pushes: Set<APNsID> = []
        var devices: Set<VirtualDeviceID> = []
        var total = 0

        mutating func add(_ arrival: Delivery) {
            self.pushes.insert(arrival.notification.apnsID)
            self.devices.insert(arrival.device)
            self.total += 1
        }
    }

    /// Starts a process and waits until it answers requests.
    private func start(
        _ store: BenchStore,
        _ simulator: APNsSimulator,
        in directory: String
    ) async throws -> (process: ChildProcess, url: String) {
        let process = try ChildProcess(
            executable: try ApusExecutable.path(),
            arguments: [
                "serve", "--data", store.data, "--json", "--until-input-ends", "--port", "0", "--apns-sandbox-host",
                "localhost", "--apns-sandbox-port", "\(simulator.port)", "--apns-sandbox-ca", "\(directory)/ca.pem",
                "--delivery-window", "\(Self.window)", "--delivery-slice-targets", "50",
            ],
            environment: ServerStore.environment(url: store.url),
            log: "\(directory)/server.log"
        )
        return (process, try await process.ready(ServerReady.self).url)
    }

    private static func body(_ tokens: [DeviceToken]) -> Data {
        let list = tokens.map { "\"\($0.hex)\"" }.joined(separator: ",")
        return Data(
            #"{"targets":{"environment":"sandbox","tokens":[\#(list)]},"payload":\#(BenchNotification.payload)}"#.utf8
        )
    }
}
