// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import PushModel
import PushStore
import Synchronization

/// A server that is killed at random instants while callers send single notifications and register devices.
struct KillTrial: Sendable {
    /// The comparison of acknowledged calls with the store and the devices.
    struct Result: Encodable, Sendable {
        var kills: Int
        var sends: Int
        var registrations: Int

        /// How many acknowledged notifications have not arrived at their device, or are not settled in the store.
        var lost = 0

        /// How many acknowledged notifications are quarantined: three processes in a row were killed while they had each.
        ///
        /// They are not lost: the server lists them, and they can be sent again.
        var quarantined = 0

        /// How many devices are not stored as registered.
        var lostRegistrations = 0

        /// How many pushes repeated an earlier one under its `apns-id`.
        var duplicates = 0

        /// How many notifications arrived under several IDs, or under one that is not theirs.
        var duplicatesOtherID = 0

        /// How many notifications arrived at the device of another one.
        var otherDevice = 0

        var isGood: Bool { self.lost + self.lostRegistrations + self.duplicatesOtherID + self.otherDevice == 0 }
    }

    /// The pushes of each notification, by its number.
    private final class Arrivals: Sendable {
        struct Pushes {
            var ids: Set<APNsID> = []
            var devices: Set<VirtualDeviceID> = []
        }

        private struct Payload: Decodable {
            let number: Int
        }

        private let state = Mutex((total: 0, pushes: [Int: Pushes]()))

        var total: Int { self.state.withLock { $0.total } }
        var pushes: [Int: Pushes] { self.state.withLock { $0.pushes } }

        func read(_ deliveries: AsyncStream<Delivery>) async throws {
            for await delivery in deliveries {
                let payload = try JSON.decoder.decode(Payload.self, from: Data(delivery.notification.payload))
                self.state.withLock { state in
                    state.total += 1
                    state.pushes[payload.number, default: Pushes()].ids.insert(delivery.notification.apnsID)
                    state.pushes[payload.number]?.devices.insert(delivery.device)
                }
            }
        }
    }

    private static let devices = 2000

    /// How long the last process has to send the rest.
    private static let deadline: Duration = .seconds(120)

    let kills: Int

    /// Runs on a new store: a database of the server at `url`, or a file.
    func run(url: String?) async throws -> Result {
        try await RestartedServer.with(url: url, deliveryBuffer: 1_000_000) { try await self.run(on: $0) }
    }

    private func run(on server: RestartedServer) async throws -> Result {
        let simulator = server.simulator
        let tokens = try simulator.bootDevices(Self.devices, apps: [RestartedServer.app])
        let load = KillLoad(tokens: tokens)
        let arrivals = Arrivals()
        let deliveries = simulator.deliveries()
        async let _: Void = arrivals.read(deliveries)
        async let calls: Void = load.run()
        do {
            let last = try await self.killRepeatedly(server, load)
            // On a busy machine, the processes before may have acknowledged nothing.
            try await self.wait { load.hasBoth }
            load.stop()
            try await calls
            try await server.store.open { store in
                try await self.wait { try await store.openBatches(of: nil).isEmpty }
            }
            try await last.close()
            try await self.wait { arrivals.total >= simulator.statistics.delivered }
        } catch {
            load.stop()
            throw error
        }
        guard simulator.statistics.missedDeliveries == 0 else {
            throw CommandError("bad_run", "The benchmark was too slow to read every push.")
        }
        return try await server.store.open { store in
            try await self.compare(load.record, arrivals, tokens, simulator, store)
        }
    }

    /// Starts a process, lets it work for a random time and kills it, again and again.
    ///
    /// - Returns: the process that runs in the end.
    private func killRepeatedly(_ server: RestartedServer, _ load: KillLoad) async throws -> ChildProcess {
        var (process, api) = try await server.start()
        try await server.addCredential(api)
        for kill in 1...self.kills where !load.isOver {
            load.use(api)
            try await Task.sleep(for: .milliseconds(Int.random(in: 20...800)))
            process.kill()
            _ = await process.exitStatus()
            load.use(nil)
            (process, api) = try await server.start()
            if kill.isMultiple(of: 10) { Console.note("\(kill) kills, \(load.record.sends.count) sends acknowledged") }
        }
        load.use(api)
        return process
    }

    /// Waits until a condition holds, or the deadline passes.
    private func wait(until condition: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + Self.deadline
        while try await !condition(), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(50)) }
    }

    private func compare(
        _ record: KillLoad.Record,
        _ arrivals: Arrivals,
        _ tokens: [DeviceToken],
        _ simulator: APNsSimulator,
        _ store: any DeviceStore & NotificationStore
    ) async throws -> Result {
        var result = Result(kills: self.kills, sends: record.sends.count, registrations: record.registrations)
        let pushes = arrivals.pushes
        let owners = Dictionary(
            (simulator.devices(limit: Self.devices) ?? []).flatMap { device in
                device.apps.flatMap(\.tokens.values).map { ($0, device.id) }
            },
            uniquingKeysWith: { first, _ in first }
        )
        result.duplicates = arrivals.total - pushes.values.map(\.ids.count).reduce(0, +)
        for (number, push) in pushes {
            let owner = owners[tokens[number % tokens.count]]
            if push.devices.contains(where: { $0 != owner }) { result.otherDevice += 1 }
            if push.ids.count > 1 { result.duplicatesOtherID += 1 }
        }
        for (number, id) in record.sends {
            let status = try await store.notification(id)
            if let status, status.batches.allSatisfy({ $0.lifecycle.state == .failed(.quarantined) }) {
                result.quarantined += 1
                continue
            }
            guard let status, status.isDone, let ids = pushes[number]?.ids else {
                result.lost += 1
                let states = status?.batches.map { "\($0.lifecycle.state)" }.joined(separator: ", ")
                Console.note("lost: \(id), \(states ?? "not stored"), \(pushes[number]?.ids.count ?? 0) pushes")
                continue
            }
            let own = status.batches.map { $0.id.apnsID(at: 0) }
            if ids.count == 1, ids != Set(own) { result.duplicatesOtherID += 1 }
        }
        let stored = try await self.versions(in: store)
        for (device, version) in record.registered {
            let last = record.attempted[device] ?? version
            if !(version...last).contains(stored[device] ?? -1) { result.lostRegistrations += 1 }
        }
        return result
    }

    /// The version that each device is registered with.
    private func versions(in store: any DeviceStore) async throws -> [String: Int] {
        let app = try AppID(validating: RestartedServer.app)
        var versions: [String: Int] = [:]
        try await store.eachDevice(of: app) { device in
            versions[device.installation.rawValue] = device.profile.appVersion.flatMap { Int($0.dropFirst(2)) }
        }
        return versions
    }
}
