// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@testable import APNsSimulator
@testable import apus_bench

@Suite("The parts of a soak")
struct SoakPartsTests {
    private static func configuration(seed: UInt64, storeURL: String? = nil) -> SoakConfiguration {
        SoakConfiguration(
            seed: seed,
            minutes: 10,
            storeURL: storeURL,
            storeRestart: storeURL.map { _ in "true" },
            workers: 2,
            devices: 100
        )
    }

    @Test("play the same faults for the same seed, and others for another one", arguments: SoakFault.Side.allCases)
    func sequence(side: SoakFault.Side) {
        func first(_ seed: UInt64) -> [SoakFault] {
            Array(SoakFaultSequence(side: side, configuration: Self.configuration(seed: seed)).prefix(100))
        }
        #expect(first(7) == first(7))
        #expect(first(7) != first(8))
    }

    @Test("play every kind of fault before one comes again", arguments: [nil, "postgres://localhost/soak"])
    func allKinds(storeURL: String?) {
        let configuration = Self.configuration(seed: 1, storeURL: storeURL)
        let kinds = SoakFault.Side.allCases.flatMap { side in
            let all = SoakFault.Kind.all(of: side, onPostgres: storeURL != nil, restarts: true)
            let played = SoakFaultSequence(side: side, configuration: configuration).prefix(all.count).map(\.kind)
            #expect(Set(played) == Set(all))
            return all
        }
        let missing = Set(SoakFault.Kind.allCases).subtracting(kinds)
        #expect(missing == (storeURL == nil ? [.restartedStore, .cutConnections] : [.lockedStore]))
    }

    @Test("keep a stopped process longer than its lease")
    func longerThanLease() {
        let faults = SoakFaultSequence(side: .machine, configuration: Self.configuration(seed: 3)).prefix(100)
        let stops = faults.filter { $0.kind == .stoppedDeliverer }
        #expect(!stops.isEmpty)
        #expect(stops.allSatisfy { $0.milliseconds > SoakConfiguration.leaseSeconds * 1000 })
    }

    @Test("call memory flat that stays after it got warm, and not one that grows on")
    func flat() {
        let warm = (0..<100).map { Double(min($0, 20)) + 50 } + Array(repeating: 71, count: 300)
        let growing = (0..<400).map { 50 + Double($0) * 0.2 }
        #expect(ProcessMemorySamples.Life(samples: warm).isFlat)
        #expect(!ProcessMemorySamples.Life(samples: growing).isFlat)
    }

    @Test("tell a duplicate under the same apns-id from a notification that was sent twice or to two devices")
    func arrivals() {
        var arrivals = SoakDeliveries()
        func take(_ payload: String, device: String, id: UInt64) -> String? {
            let notification = ReceivedNotification(
                bundleID: "com.example.soak",
                payload: Array(payload.utf8),
                apnsID: APNsID(high: 0, low: id),
                headers: [:],
                receivedAt: Date(timeIntervalSince1970: 0)
            )
            return arrivals.take(Delivery(sequence: 1, device: .init(rawValue: device), notification: notification))
        }
        #expect(take("a", device: "1", id: 1) == nil)
        #expect(take("a", device: "2", id: 2) == nil)
        #expect(take("a", device: "1", id: 1) == nil)
        #expect(arrivals.duplicates == 1)
        #expect(arrivals.sentTwice == 0)
        #expect(take("a", device: "1", id: 3)?.contains("reached device 1 as") == true)
        #expect(arrivals.sentTwice == 1)
        #expect(take("b", device: "2", id: 1)?.contains("two devices") == true)
        #expect(arrivals.devices.count == 3)
    }
}
