// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation

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

    /// The most notifications that a process has in flight.
    private static let window = 200

    let targets: Int

    /// Whether another process runs when the first one is killed.
    let hasSuccessor: Bool

    /// Runs the round on a new store: a database of the server at `url`, or a file.
    func run(url: String?) async throws -> Result {
        let arguments = ["--delivery-max-in-flight", "\(Self.window)", "--delivery-chunk-size", "50"]
        return try await RestartedServer.with(url: url, deliveryBuffer: 4 * self.targets, arguments: arguments) {
            server in
            let first = try await server.start()
            do {
                return try await self.run(first, server)
            } catch {
                first.process.kill()
                throw error
            }
        }
    }

    private func run(_ first: (process: ChildProcess, api: APIClient), _ server: RestartedServer) async throws -> Result
    {
        let simulator = server.simulator
        let tokens = try simulator.bootDevices(self.targets, apps: [RestartedServer.app])
        var arrivals = simulator.deliveries().makeAsyncIterator()
        try await server.addCredential(first.api)
        // It cannot send all before it is killed: later pushes get no response.
        let answered = Int.random(in: 0..<(self.targets - 2 * Self.window))
        simulator.inject(SimulatorFault(.hold, skip: answered))
        let path = "/v1/apps/\(RestartedServer.app)/notifications"
        _ = try await first.api.call(.post, path, body: BenchNotification.body(to: tokens.map(\.hex)))
        var counts = Counts()
        while counts.pushes.count <= answered, let arrival = await arrivals.next() { counts.add(arrival) }

        let running = self.hasSuccessor ? try await server.start() : nil
        let kill = ContinuousClock.now
        first.process.kill()
        _ = await first.process.exitStatus()
        // The pushes that the first process wrote arrive while its connections are open. The second one has none yet.
        try await self.wait { simulator.statistics.openConnections == 0 }
        simulator.clearFaults()
        let late = simulator.statistics.delivered
        async let started: (process: ChildProcess, api: APIClient)? = running == nil ? server.start() : nil
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
                throw CommandError("too_slow", "No process continued within 120 seconds.")
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
}
