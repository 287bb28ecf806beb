// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import CommandLineSupport
import Foundation
import Logging
import Testing

@testable import apus

@Suite("A server that is killed", .timeLimit(.minutes(20)))
struct KillTests {
    private static let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }

    @Test("between accepting and sending loses nothing: the next process sends it, once")
    func beforeSending() async throws {
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: Self.silent) { simulator in
                let tokens = try simulator.bootDevices(100, apps: [ServerInTest.app]).map(\.hex)
                var arrivals = simulator.deliveries().makeAsyncIterator()
                let server = try await ServerInTest(in: directory, simulator: simulator)

                let first = try await server.start(with: "none")
                try await first.createApp(simulator)
                let accepted = try await first.send(to: tokens)
                #expect(accepted.remaining == tokens.count)
                await first.kill()

                let second = try await server.start()
                var ids: Set<APNsID> = []
                while ids.count < tokens.count, let arrival = await arrivals.next() {
                    #expect(ids.insert(arrival.notification.apnsID).inserted)
                }
                #expect(ids.count == tokens.count)
                #expect(await second.process.stop() == 0)
            }
        }
    }

    @Test("in the middle of 12,000 goes on where it was: every target is reached, the window in flight at most twice")
    func whileSending() async throws {
        // More than a batch.
        let count = 12_000
        // A small part of them, so that a process that begins anew is noticed.
        let window = 600
        // What was killed is taken over sooner than after a minute.
        let environment = [
            "APUS_DELIVERY_LEASE_DURATION_SECONDS": "2", "APUS_DELIVERY_MAX_IN_FLIGHT": "\(window)",
            "APUS_DELIVERY_CHUNK_SIZE": "100",
        ]
        try await withTemporaryDirectory { directory in
            var configuration = APNsSimulatorConfiguration()
            configuration.deliveryBuffer = 3 * count
            try await withAPNsSimulator(configuration, logger: Self.silent) { simulator in
                let tokens = try simulator.bootDevices(count, apps: [ServerInTest.app]).map(\.hex)
                var arrivals = simulator.deliveries().makeAsyncIterator()
                let server = try await ServerInTest(in: directory, simulator: simulator)

                let first = try await server.start(environment: environment)
                try await first.createApp(simulator)
                // The process cannot come to the end before it is killed: what is behind these is not answered.
                simulator.inject(SimulatorFault(.hold, skip: 6000))
                let accepted = try await first.send(to: tokens)
                var times: [APNsID: Int] = [:]
                var devices: [APNsID: VirtualDeviceID] = [:]
                func take(_ arrival: Delivery) {
                    let id = arrival.notification.apnsID
                    times[id, default: 0] += 1
                    // A resend carries the id of the first: one id never reaches two devices.
                    #expect(devices.updateValue(arrival.device, forKey: id) ?? arrival.device == arrival.device)
                }
                // One at least has arrived and was not answered.
                while times.count < 6001, let arrival = await arrivals.next() { take(arrival) }
                await first.kill()
                #expect(simulator.statistics.delivered < count)
                simulator.clearFaults()

                let second = try await server.start(environment: environment)
                while times.count < count, let arrival = await arrivals.next() { take(arrival) }
                let status = try await second.settled(accepted.id)
                #expect(status.counts.delivered == count)
                #expect(await second.process.stop() == 0)

                try await waitUntil { simulator.statistics.openConnections == 0 }
                let delivered = simulator.statistics.delivered
                while times.values.reduce(0, +) < delivered, let arrival = await arrivals.next() { take(arrival) }
                #expect(times.count == count)
                #expect(Set(devices.values).count == count)
                #expect(times.values.allSatisfy { $0 <= 2 })
                #expect((1...window).contains(times.values.count { $0 == 2 }))
                #expect(simulator.statistics.missedDeliveries == 0)
            }
        }
    }
}
