// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import Logging
import PushModel
import PushStore

/// A simulator, all processes of a server, everything that can go wrong with them, and the account of it at the end.
struct Soak: Sendable {
    let configuration: SoakConfiguration
    let directory: String
    let record = SoakLog()
    private let memory = ProcessMemorySamples()

    /// Runs it to its end.
    ///
    /// - Throws: ``CommandError`` when it could not be carried out.
    func run() async throws -> SoakReport {
        let (seed, minutes) = (self.configuration.seed, self.configuration.minutes)
        self.record.say("seed \(seed), \(minutes) min on \(self.configuration.storeName)")
        let store = try await SoakStore.make(self.configuration, in: self.directory)
        return try await perform {
            let account = try await self.account(on: store)
            return SoakReport(
                self.configuration,
                account: account,
                record: self.record.now,
                memory: self.memory.lives
            )
        } finally: {
            await store.remove()
        }
    }

    private func account(on store: SoakStore) async throws -> SoakAudit.Account {
        let (feeds, hand) = AsyncStream.makeStream(of: AsyncStream<Delivery>.self)
        async let arrivals = self.collect(feeds)
        let answers: [StreamLines.Answer]
        do {
            defer { hand.finish() }
            answers = try await self.play(on: store) { hand.yield($0) }
        }
        // The simulator has stopped: that ends the feed, and nothing of it is missing.
        let audit = SoakAudit(
            configuration: self.configuration,
            arrivals: await arrivals,
            answers: answers,
            record: self.record
        )
        self.record.say("the store is read")
        return try await store.place.open { try await audit.run($0) }
    }

    private func collect(_ feeds: AsyncStream<AsyncStream<Delivery>>) async -> SoakDeliveries {
        var arrivals = SoakDeliveries()
        for await feed in feeds {
            for await arrival in feed {
                if let fault = arrivals.take(arrival) { self.record.breach(fault) }
                self.record.change { $0.arrivals += 1 }
            }
        }
        return arrivals
    }

    /// Starts all processes, injects the faults, and stops the processes when all targets are settled.
    ///
    /// Returns the outcomes that streams received.
    private func play(
        on store: SoakStore,
        _ handOver: (AsyncStream<Delivery>) -> Void
    ) async throws -> [StreamLines.Answer] {
        var simulated = APNsSimulatorConfiguration(
            retainedNotifications: 10,
            retainedNotificationsInAll: 10_000,
            seed: self.configuration.seed,
            // The maximum number of deliveries, so that none is missed.
            deliveryBuffer: 10_000_000
        )
        simulated.retainedBytesInAll = 16 << 20
        let silent = Logger(label: "apus.soak.simulator") { _ in SwiftLogNoOpLogHandler() }
        return try await withAPNsSimulator(simulated, logger: silent) { simulator in
            let tokens = try simulator.bootDevices(self.configuration.devices, apps: [SoakConfiguration.app])
            handOver(simulator.deliveries())
            let population = SoakPopulation(configuration: self.configuration, tokens: tokens)
            let key = try await store.place.open { try await population.register(in: $0) }
            let fleet = try SoakProcesses(
                self.configuration,
                store: store.place,
                simulator: simulator,
                key: key,
                directory: self.directory,
                record: self.record
            )
            return try await withThrowingTaskGroup(of: Void.self) { group in
                do {
                    // The `serve` processes create the master key that the others need.
                    for process in fleet.processes(.serve) { group.addTask { await process.run() } }
                    while fleet.urls.isEmpty { try await Task.sleep(for: .milliseconds(100)) }
                    for process in fleet.all where process.role != .serve { group.addTask { await process.run() } }
                    guard await fleet.allUp(within: .seconds(120)) else {
                        throw CommandError("not_ready", "Not every process became ready; see \(self.directory)")
                    }
                    let answers = await self.load(fleet, simulator, store, tokens: tokens.map(\.hex))
                    await fleet.stop()
                    return answers
                } catch {
                    await fleet.stop()
                    throw error
                }
            }
        }
    }

    /// Hands over and lets things go wrong for the time that was asked for, and waits until all has settled.
    private func load(
        _ fleet: SoakProcesses,
        _ simulator: APNsSimulator,
        _ store: SoakStore,
        tokens: [String]
    ) async -> [StreamLines.Answer] {
        let end = ContinuousClock.now + self.configuration.duration
        let client = SoakClient(fleet: fleet, record: self.record, deadline: end + self.configuration.patience)
        await self.addCredential(simulator.demoKey, client)
        let traffic = SoakTraffic(configuration: self.configuration, client: client, tokens: tokens)
        let apns = APNsFaults(simulator: simulator, configuration: self.configuration, record: self.record)
        let machine = ProcessFaults(fleet: fleet, store: store, record: self.record)
        async let answers = traffic.run(until: end)
        async let memory: Void = self.watch(fleet, until: end)
        async let faults: Void = self.faults(.apns, until: end) { try await apns.play($0) }
        await self.faults(.machine, until: end) { try await machine.play($0) }
        await faults
        await memory
        simulator.clearFaults()
        self.record.say("the faults are over")
        let all = await answers
        await SoakCompletion(client: client).wait()
        if await !fleet.allUp(within: .seconds(60)) { self.record.breach("not every process is up at the end") }
        let missed = simulator.statistics.missedDeliveries
        if missed > 0 { self.record.breach("the soak itself missed \(missed) deliveries") }
        return all
    }

    private func addCredential(_ key: SimulatorProviderKey, _ client: SoakClient) async {
        let credential = ["type": "key", "keyID": key.keyID, "teamID": key.teamID, "p8": key.p8]
        let body = try? JSON.encoder.encode(credential)
        _ = await client.call(.post, "\(client.path)/credentials", body: body)
    }

    private func faults(
        _ side: SoakFault.Side,
        until end: ContinuousClock.Instant,
        _ play: (SoakFault) async throws -> Void
    ) async {
        for fault in SoakFaultSequence(side: side, configuration: self.configuration) {
            guard ContinuousClock.now < end, !Task.isCancelled else { return }
            self.record.change { $0.faults[fault.kind.rawValue, default: 0] += 1 }
            self.record.say("\(side.rawValue): \(fault.kind.rawValue) for \(fault.milliseconds) ms")
            do {
                try await play(fault)
            } catch {
                self.record.breach("\(fault.kind.rawValue) could not be played: \(error)")
            }
            try? await Task.sleep(until: min(end, .now + .milliseconds(fault.pause)), clock: .continuous)
        }
    }

    private func watch(_ fleet: SoakProcesses, until end: ContinuousClock.Instant) async {
        var second = 0
        while ContinuousClock.now < end, (try? await Task.sleep(for: .seconds(1))) != nil {
            second += 1
            self.memory.sample(fleet)
            self.record.showProgress(second: second)
        }
    }
}

/// Waits until no accepted notification is in flight.
struct SoakCompletion: Sendable {
    private struct Standing: Decodable {
        struct Queue: Decodable {
            let batches: Int
        }

        let queues: [Queue]
    }

    private struct Campaigns: Decodable {
        let campaigns: [BenchCampaign]
    }

    let client: SoakClient

    /// Asks until nothing waits, or the client's time is over, which is a breach.
    func wait() async {
        var (batches, campaigns) = (-1, -1)
        while !self.client.isOver {
            guard
                let standing = await self.client.read("\(self.client.path)/delivery", as: Standing.self),
                // Older ones are long over.
                let page = await self.client.read("\(self.client.path)/campaigns?limit=50", as: Campaigns.self)
            else { break }
            let before = (batches, campaigns)
            batches = standing.queues.reduce(0) { $0 + $1.batches }
            campaigns = page.campaigns.count { !$0.progress.isCompleted }
            if batches == 0, campaigns == 0 { return }
            if before != (batches, campaigns) {
                self.client.record.say("\(batches) batches and \(campaigns) campaigns are on their way")
            }
            try? await Task.sleep(for: .seconds(2))
        }
        self.client.record.breach("it did not settle: \(batches) batches and \(campaigns) campaigns are on their way")
    }
}
