// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLStore
import Testing

@testable import Delivery

@Suite("The state of a lane")
struct LaneStateTests {
    private let alive = BatchKind(app: "alive", environments: [.sandbox], pushType: .alert)
    private let dead = BatchKind(app: "dead", environments: [.sandbox], pushType: .alert)

    private func batches(_ count: Int, of kind: BatchKind) throws -> [ClaimedBatch] {
        try (0..<count).map { _ in
            let plan = try NotificationPlan(
                app: kind.app,
                lane: .bulk,
                headers: NotificationHeaders(topic: Topic("com.example.app"), pushType: kind.pushType),
                payload: APNsPayload(json: "{}"),
                targets: [Target(token: try DeviceToken(bytes: [1]), environment: .sandbox)],
                now: Date(timeIntervalSince1970: 0)
            )
            return ClaimedBatch(batch: plan.batches[0], cursor: 0, worker: "worker", leasedUntil: .distantFuture)
        }
    }

    private func claim(
        _ state: inout LaneState,
        _ standings: [BatchKind: Breaker.Standing] = [:]
    ) throws -> ClaimRoom {
        let room = state.takeClaim(standings)
        return try #require(room)
    }

    @Test("once for each signal is claimed; of a kind that nobody knows, a single batch")
    func claims() throws {
        var state = LaneState(limit: 4)
        let room = try self.claim(&state)
        #expect(room == ClaimRoom(total: 12, perKind: 1, otherKinds: 8))
        #expect(state.takeClaim([:]) == nil)
        let batch = try self.batches(1, of: self.dead)
        #expect(state.admit(batch, of: room) == batch)
        state.signal()
        #expect(try self.claim(&state).limit(for: self.dead) == 0)
    }

    @Test("a kind that answers takes half of the limit, the next half of what is left, and so on")
    func fair() throws {
        var state = LaneState(limit: 8)
        let other = BatchKind(app: "other", environments: [.sandbox], pushType: .alert)
        let standings: [BatchKind: Breaker.Standing] = [self.alive: .answering, other: .answering]
        var room = try self.claim(&state, standings)
        #expect(room.limit(for: self.alive) == 4)
        _ = state.admit(try self.batches(4, of: self.alive), of: room)
        state.signal()
        room = try self.claim(&state, standings)
        #expect(room.limit(for: self.alive) == 0)
        #expect(room.limit(for: other) == 2)
    }

    @Test("kinds that do not answer take no place of those that do")
    func deadKinds() throws {
        var state = LaneState(limit: 2)
        let kinds = (0..<2).map { number in
            BatchKind(app: AppID(unchecked: "dead\(number)"), environments: [.sandbox], pushType: .alert)
        }
        var standings = Dictionary(uniqueKeysWithValues: kinds.map { ($0, Breaker.Standing.unproven) })
        standings[self.alive] = .answering
        standings[self.dead] = .paused(until: .distantFuture)
        var room = try self.claim(&state, standings)
        _ = state.admit(try kinds.flatMap { try self.batches(1, of: $0) }, of: room)
        state.signal()
        room = try self.claim(&state, standings)
        #expect(room.limit(for: kinds[0]) == 0)
        #expect(room.limit(for: self.dead) == 0)
        #expect(room.limit(for: self.alive) == 1)
        _ = state.admit(try self.batches(1, of: self.alive), of: room)
        state.signal()
        #expect(try self.claim(&state, standings).total == 3)
    }

    @Test("kinds that do not answer leave the places of those that do alone, however many there are")
    func manyDeadKinds() throws {
        var state = LaneState(limit: 1)
        let kinds = (0..<4).map { number in
            BatchKind(app: AppID(unchecked: "dead\(number)"), environments: [.sandbox], pushType: .alert)
        }
        var standings: [BatchKind: Breaker.Standing] = [self.alive: .answering]
        // Some were sent before, of others nobody has heard.
        for kind in kinds.prefix(2) { standings[kind] = .unproven }
        let asked = try self.claim(&state, standings)
        #expect(asked.otherKinds == 2)
        var room = asked
        let taken = [kinds[0], kinds[2], kinds[0], kinds[1], kinds[3], self.alive].map { room.take($0) }
        #expect(taken == [true, true, false, false, false, true])
        let dead = try [kinds[0], kinds[2]].flatMap { try self.batches(1, of: $0) }
        _ = state.admit(dead, of: asked)
        state.signal()
        room = try self.claim(&state, standings)
        #expect(kinds.allSatisfy { room.limit(for: $0) == 0 })
        #expect(room.limit(for: self.alive) == 1)
        // The place of one that is done with is for the next.
        #expect(state.finish(dead[0].batch.id) == false)
        room = try self.claim(&state, standings)
        #expect(room.limit(for: kinds[3]) == 1)
        #expect(room.otherKinds == 1)
    }

    @Test("no place is kept for what goes where nobody answers while as many such run as may")
    func handingOverToDeadKinds() throws {
        var state = LaneState(limit: 1)
        let standings: [BatchKind: Breaker.Standing] = [self.alive: .answering]
        let others = (0..<2).map { number in
            BatchKind(app: AppID(unchecked: "other\(number)"), environments: [.sandbox], pushType: .alert)
        }
        let ids = try (0..<4).map { _ in try self.batches(1, of: self.alive)[0].batch.id }
        _ = try self.claim(&state, standings)
        #expect(state.reserve(ids[0], of: self.dead, standings) == true)
        #expect(state.reserve(ids[1], of: others[0], standings) == true)
        #expect(state.reserve(ids[2], of: others[1], standings) == false)
        #expect(state.reserve(ids[3], of: self.alive, standings) == true)
    }

    @Test("when a claim left something behind for want of room, the end of a batch is reason for another")
    func short() throws {
        var state = LaneState(limit: 4)
        let standings: [BatchKind: Breaker.Standing] = [self.alive: .answering]
        let room = try self.claim(&state, standings)
        let batches = try self.batches(2, of: self.alive)
        _ = state.admit(batches, of: room)
        #expect(state.takeClaim(standings) == nil)
        #expect(state.finish(batches[0].batch.id) == false)
        #expect(state.takeClaim(standings) != nil)
    }

    @Test("a batch that is claimed while it is still being sent or given back is not sent twice, but released")
    func onlyOnce() throws {
        var state = LaneState(limit: 4)
        let room = try self.claim(&state)
        let batches = try self.batches(1, of: self.alive)
        #expect(state.admit(batches, of: room) == batches)
        #expect(state.admit(batches, of: room).isEmpty)
        #expect(state.finish(batches[0].batch.id) == true)
        #expect(state.admit(batches, of: room) == batches)
        #expect(state.finish(batches[0].batch.id) == false)
    }

    @Test("a place is kept for what is handed over, unless others wait or nothing more of the kind may run")
    func handingOver() throws {
        var state = LaneState(limit: 4)
        let standings: [BatchKind: Breaker.Standing] = [
            self.alive: .answering, self.dead: .paused(until: .distantFuture),
        ]
        let batches = try self.batches(4, of: self.alive)
        let ids = batches.map(\.batch.id)
        // Nobody has looked yet whether others wait.
        #expect(state.reserve(ids[0], of: self.alive, standings) == false)
        _ = try self.claim(&state, standings)
        #expect(state.reserve(ids[0], of: self.dead, standings) == false)
        #expect(state.reserve(ids[0], of: self.alive, standings) == true)
        #expect(state.reserve(ids[1], of: self.alive, standings) == true)
        #expect(state.reserve(ids[2], of: self.alive, standings) == false)
        state.forgo(ids[1])
        #expect(state.reserve(ids[2], of: self.alive, standings) == true)
        state.confirm(ids[0])
        #expect(state.finish(ids[0]) == false)
        state.signal()
        #expect(state.reserve(ids[3], of: self.alive, standings) == false)
    }

    @Test("a closed lane is done when nothing is handed over any more")
    func closedWithPlaces() throws {
        var state = LaneState(limit: 4)
        _ = try self.claim(&state)
        let id = try self.batches(1, of: self.alive)[0].batch.id
        #expect(state.reserve(id, of: self.alive, [:]) == true)
        state.close()
        #expect(!state.isDone)
        state.confirm(id)
        #expect(state.isDone)
    }

    @Test("a closed lane claims nothing")
    func closed() {
        var state = LaneState(limit: 1)
        state.close()
        #expect(state.takeClaim([:]) == nil)
    }
}
