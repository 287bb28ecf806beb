// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import APNsSimulator
import Foundation
import Logging
import PushModel
import Testing

@testable import Delivery

@Suite("Outages")
struct OutageTableTests {
    private let now = Date(timeIntervalSince1970: 1_767_225_600)
    private let batch = BatchID(now: Date(timeIntervalSince1970: 1_767_225_600))
    private let destination: APNsDestination

    init() throws {
        let key = try APNsSimulator(logger: .silent).demoKey
        self.destination = APNsDestination(
            endpoint: APNsEndpoint(host: "localhost"),
            credential: .key(try ProviderKey(keyID: key.keyID, teamID: key.teamID, pem: key.p8))
        )
    }

    private func later(_ seconds: Double) -> Date { self.now.addingTimeInterval(seconds) }

    private func admit(_ table: inout OutageTable, _ seconds: Double) -> OutageTable.Admission {
        table.admit([self.destination], patience: .seconds(60), now: self.later(seconds))
    }

    @Test("after a failure everybody stays away until the back-off is over; then one tries")
    func probes() {
        var table = OutageTable()
        #expect(self.admit(&table, 0) == .admitted(probes: []))
        table.failed(self.destination, isProbe: false, now: self.now) { .seconds($0) }
        #expect(self.admit(&table, 0.9) == .refused(self.destination))
        #expect(self.admit(&table, 1) == .admitted(probes: [self.destination]))
        #expect(self.admit(&table, 60.9) == .refused(self.destination))
        #expect(self.admit(&table, 61) == .admitted(probes: [self.destination]))
    }

    @Test("those who fail together count as one failure; each probe that fails counts")
    func counting() {
        var table = OutageTable()
        for _ in 0..<3 { table.failed(self.destination, isProbe: false, now: self.now) { .seconds($0) } }
        #expect(table.park(self.batch, for: self.destination) == self.later(1))
        table.failed(self.destination, isProbe: true, now: self.now) { .seconds($0) }
        #expect(table.park(self.batch, for: self.destination) == self.later(2))
    }

    @Test("a batch with two destinations of which one is out takes nobody's turn at the other")
    func allOrNothing() {
        var other = self.destination
        other.endpoint.port = 2197
        var table = OutageTable()
        table.failed(self.destination, isProbe: false, now: self.now) { .seconds($0) }
        table.failed(other, isProbe: false, now: self.later(1)) { .seconds($0) }
        let both = [self.destination, other]
        #expect(table.admit(both, patience: .seconds(60), now: self.later(1)) == .refused(other))
        #expect(self.admit(&table, 1) == .admitted(probes: [self.destination]))
    }

    @Test("an answer ends the outage and frees the batches that wait")
    func recovers() {
        var table = OutageTable()
        table.failed(self.destination, isProbe: false, now: self.now) { .seconds($0) }
        #expect(table.park(self.batch, for: self.destination) == self.later(1))
        #expect(table.recovered(self.destination) == [self.batch])
        #expect(table.isEmpty)
        #expect(table.park(self.batch, for: self.destination) == nil)
    }

    @Test("a batch that was claimed again does not wait any more")
    func unparks() {
        var table = OutageTable()
        table.failed(self.destination, isProbe: false, now: self.now) { .seconds($0) }
        _ = table.park(self.batch, for: self.destination)
        table.unpark(self.batch)
        #expect(table.removeAllParked().isEmpty)
    }
}
