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
    private let alive = RoutingKey(app: "alive", environments: [.sandbox], pushType: .alert)
    private let dead = RoutingKey(app: "dead", environments: [.sandbox], pushType: .alert)

    private func batches(_ count: Int, of kind: RoutingKey) throws -> [ClaimedBatch] {
        try (0..<count).map { _ in
            let plan = try BatchedNotification(
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
        _ standings: [RoutingKey: CircuitBreaker.Standing] = [:]
    ) throws -> ClaimLimits {
        let room = state.takeClaim(standings)
        return try #require(room)
    }

    @Test("once for each signal is claimed; of a kind that nobody knows, a single batch")
    func claims() throws {
        var state = LaneState(limit: 4)
        let room = try self.claim(&state)
        #expect(room == ClaimLimits(total: 12, perKind: 1, otherKinds: 8))
        #expect(state.takeClaim([:]) == nil)
        let batch = try self.batches(1, of: self.dead)
        #expect(state.admit(batch, of: room) == batch)
        state.signal()
        #expect(try self.claim(&state).limit(for: self.dead) == 0)
    }

    @Test("a kind that answers takes half of the limit, the next half of what is left, and so on")
    func fair() throws {
        var state = LaneState(limit: 8)
        let other = RoutingKey(app: "other", environments: [.sandbox], pushType: .alert)
        let standings: [RoutingKey: CircuitBreaker.Standing] = [self.alive: .closed, other: .closed]
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
            RoutingKey(app: AppID(unchecked: "dead\(number)"), environments: [.sandbox], pushType: .alert)
        }
        var standings = Dictionary(uniqueKeysWithValues: kinds.map { ($0, CircuitBreaker.Standing.halfOpen) })
        standings[self.alive] = .closed
        standings[self.dead] = .open(until: .distantFuture)
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
            RoutingKey(app: AppID(unchecked: "dead\(number)"), environments: [.sandbox], pushType: .alert)
        }
        var standings: [RoutingKey: CircuitBreaker.Standing] = [self.alive: .closed]
        // Some were sent before, of others nobody has heard.
        for kind in kinds.prefix(2) { standings[kind] = .halfOpen }
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
        let standings: [RoutingKey: CircuitBreaker.Standing] = [self.alive: .closed]
        let others = (0..<2).map { number in
            RoutingKey(app: AppID(unchecked: "other\(number)"), environments: [.sandbox], pushType: .alert)
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
        let standings: [RoutingKey: CircuitBreaker.Standing] = [self.alive: .closed]
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
        let standings: [RoutingKey: CircuitBreaker.Standing] = [
            self.alive: .closed, self.dead: .open(until: .distantFuture),
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

    // MARK: Small batches

    private static let small = LaneState.SmallLimits(size: 10, batches: 16, targets: 100)

    private var answering: [RoutingKey: CircuitBreaker.Standing] { [self.alive: .closed, self.dead: .halfOpen] }

    @Test("small batches of a kind that answers have room of their own; all others take the places of the lane")
    func smallRoom() throws {
        var state = LaneState(limit: 4, small: Self.small)
        let room = try self.claim(&state, self.answering)
        #expect(room.small.kinds == [self.alive: 8])
        #expect(room.small.size == 10)
        #expect(room.small.targets == 100)
        #expect(room.limit(for: self.alive) == 2)
        let batches = try self.batches(5, of: self.alive)
        #expect(state.admit(batches, of: room) == batches)
        state.signal()
        let next = try self.claim(&state, self.answering)
        // They hold 5 of 16 and 5 of 100 targets, and no place.
        #expect(next.small.kinds == [self.alive: 3])
        #expect(next.small.targets == 95)
        #expect(next.limit(for: self.alive) == 2)
        #expect(next.total == 12)
    }

    @Test("small batches are handed over while others are queued, up to half of what is left, but not past a backlog")
    func handingOverSmall() throws {
        var state = LaneState(limit: 1, small: Self.small)
        func reserve(_ targets: Int = 1) throws -> BatchID? {
            let id = try self.batches(1, of: self.alive)[0].batch.id
            return state.reserveSmall(id, of: self.alive, targets: targets) ? id : nil
        }
        // Before the first claim, it is not known whether there is a backlog.
        #expect(try reserve() == nil)
        _ = state.admit([], of: try self.claim(&state, self.answering))
        state.signal()
        let first = try #require(try reserve())
        #expect(try (0..<7).allSatisfy { _ in try reserve() != nil })
        #expect(try reserve() == nil)
        #expect(state.finish(first) == false)
        #expect(try reserve(94) == nil)
        #expect(try reserve(10) != nil)
        state.close()
        #expect(try reserve() == nil)
    }

    @Test("a backlog of small batches is claimed in large groups, and only then are new ones handed over")
    func backlog() throws {
        var state = LaneState(limit: 4, small: Self.small)
        let batches = try self.batches(8, of: self.alive)
        let id = try self.batches(1, of: self.alive)[0].batch.id
        let room = try self.claim(&state, self.answering)
        // As many as there is room for: there may be more.
        _ = state.admit(batches, of: room)
        for batch in batches[..<3] {
            #expect(state.finish(batch.batch.id) == false)
            #expect(!state.isClaimable)
        }
        #expect(state.reserveSmall(id, of: self.alive, targets: 1) == false)
        // A quarter of the limit is left.
        #expect(state.finish(batches[3].batch.id) == false)
        #expect(state.isClaimable)
        #expect(state.reserveSmall(id, of: self.alive, targets: 1) == false)
        _ = state.admit([], of: try self.claim(&state, self.answering))
        #expect(state.reserveSmall(id, of: self.alive, targets: 1) == true)
    }

    @Test("a claim takes small batches by their number and their targets, and large ones by their places")
    func takingSmall() throws {
        var state = LaneState(limit: 4, small: LaneState.SmallLimits(size: 10, batches: 16, targets: 25))
        var room = try self.claim(&state, self.answering)
        let taken = [10, 11, 10, 10, 11, 11, 5].map { room.take(self.alive, targets: $0) }
        #expect(taken == [true, true, true, false, true, false, true])
        #expect(room.small.targets == 0)
        #expect(room.limit(for: self.alive) == 0)
        // An unknown kind has no room for small batches: its first one is a probe.
        #expect(room.take(self.dead, targets: 1) == true)
        #expect(room.take(self.dead, targets: 1) == false)
    }
}
