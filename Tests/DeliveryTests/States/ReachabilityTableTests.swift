// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import APNsSimulator
import Foundation
import Logging
import PushModel
import Testing

@testable import Delivery

@Suite("Which destinations answer")
struct ReachabilityTableTests {
    private let now = Date(timeIntervalSince1970: 1_767_225_600)
    private let kind = BatchKind(app: "com.example.app", environments: [.sandbox, .production], pushType: .alert)
    private let destination: APNsDestination
    private let other: APNsDestination

    init() throws {
        let key = try APNsSimulator(logger: .silent).demoKey
        self.destination = APNsDestination(
            endpoint: APNsEndpoint(host: "localhost"),
            credential: .key(try ProviderKey(keyID: key.keyID, teamID: key.teamID, pem: key.p8))
        )
        var other = self.destination
        other.endpoint.port = 2197
        self.other = other
    }

    private func later(_ seconds: Double) -> Date { self.now.addingTimeInterval(seconds) }

    @Test("a destination is unproven until it answers, and again when the back-off after a failure is over")
    func standings() {
        var table = ReachabilityTable()
        #expect(table.standing(of: self.destination, now: self.now) == .unproven)
        #expect(table.answered(self.destination) == true)
        #expect(table.answered(self.destination) == false)
        #expect(table.standing(of: self.destination, now: self.now) == .answering)
        #expect(table.failed(self.destination, now: self.now) { .seconds($0) } == self.later(1))
        #expect(table.standing(of: self.destination, now: self.later(0.9)) == .out(until: self.later(1)))
        #expect(table.standing(of: self.destination, now: self.later(1)) == .unproven)
    }

    @Test("those who fail together count as one failure, those who fail after the back-off as another")
    func counting() {
        var table = ReachabilityTable()
        for _ in 0..<3 { #expect(table.failed(self.destination, now: self.now) { .seconds($0) } == self.later(1)) }
        #expect(table.failed(self.destination, now: self.later(1)) { .seconds($0) } == self.later(3))
        #expect(table.answered(self.destination) == true)
        #expect(table.failed(self.destination, now: self.later(9)) { .seconds($0) } == self.later(10))
    }

    @Test("a kind answers if one of its destinations does, and is out if all are")
    func kinds() {
        var table = ReachabilityTable()
        #expect(table.standings(now: self.now).isEmpty)
        table.learn(self.kind, [self.destination, self.other])
        #expect(table.standings(now: self.now) == [self.kind: .unproven])
        _ = table.failed(self.destination, now: self.now) { .seconds($0) }
        #expect(table.standings(now: self.now) == [self.kind: .unproven])
        _ = table.failed(self.other, now: self.now) { .seconds(2 * $0) }
        #expect(table.standings(now: self.now) == [self.kind: .out(until: self.later(1))])
        _ = table.answered(self.other)
        #expect(table.standings(now: self.now) == [self.kind: .answering])
        table.learn(self.kind, [])
        #expect(table.standings(now: self.now) == [self.kind: .answering])
        #expect(table.standing(of: self.other, now: self.now) == .unproven)
    }
}
