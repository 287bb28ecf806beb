// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import Testing
import Work

@testable import Delivery

@Suite("The gate of a lane")
struct LaneGateTests {
    private func claimed(isSuspect: Bool) throws -> ClaimedBatch {
        let plan = try NotificationPlan(
            app: "app",
            lane: .bulk,
            headers: NotificationHeaders(topic: Topic("com.example.app")),
            payload: APNsPayload(json: "{}"),
            targets: [Target(token: try DeviceToken(bytes: [1]), environment: .sandbox)],
            now: Date(timeIntervalSince1970: 0)
        )
        return ClaimedBatch(
            batch: plan.batches[0],
            cursor: 0,
            isSuspect: isSuspect,
            worker: "worker",
            leasedUntil: .distantFuture
        )
    }

    @Test("of all lanes one suspect is sent at a time, and others are sent beside it")
    func suspects() throws {
        let permit = SuspectPermit()
        let gates = (0..<2).map { _ in LaneGate(limit: 4, permit: permit) { [:] } }
        func limits(_ gate: LaneGate) throws -> ClaimRoom {
            gate.signal()
            return try #require(gate.nextLimits())
        }
        // A claim that brings no suspect leaves the permit to others.
        let none = try limits(gates[0])
        #expect(none.suspects == 1)
        _ = gates[0].admit(Claimed([try self.claimed(isSuspect: false)]), within: none)
        let room = try limits(gates[1])
        #expect(room.suspects == 1)
        let suspect = try self.claimed(isSuspect: true)
        #expect(gates[1].admit(Claimed([suspect]), within: room).count == 1)
        for gate in gates {
            let other = try limits(gate)
            #expect(other.suspects == 0)
            _ = gate.admit(Claimed([]), within: other)
        }
        #expect(!gates[1].finish(suspect.batch.id))
        #expect(try limits(gates[0]).suspects == 1)
    }
}
