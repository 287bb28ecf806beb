// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import Testing

@Suite("A rollout of an activity")
struct RolloutTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let planner: WorkerID = "planner"

    private var until: Date { self.now.addingTimeInterval(15) }

    /// A rollout that the planner holds the lease of.
    private func claimed(ratePerSecond: Int? = nil) -> ActivityRollout {
        var rollout = ActivityRollout(audience: .all, ratePerSecond: ratePerSecond, now: self.now)
        self.expect(true, &rollout) { $0.claim(by: self.planner, until: self.until, now: self.now) }
        return rollout
    }

    private func expect(
        _ result: Bool,
        _ rollout: inout ActivityRollout,
        _ event: (inout ActivityRollout) -> Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let isTrue = event(&rollout)
        #expect(isTrue == result, sourceLocation: sourceLocation)
    }

    private func shard(_ rollout: ActivityRollout, place: Int64, isLast: Bool = false) -> RolloutPage {
        var shard = RolloutPage(of: rollout)
        shard.place = place
        shard.lastPlace = 100
        shard.isLast = isLast
        return shard
    }

    @Test("goes on while there is room, and waits while there is none")
    func room() {
        let rollout = self.claimed()
        let pace = RolloutLimits(shardSize: 10, lookahead: 25)
        func next(_ targets: Int) -> ActivityRollout.Step {
            rollout.next(now: self.now, pace: pace, backlog: RolloutBacklog(targets: targets))
        }
        #expect(next(0) == .read(starts: 10, sendAt: nil))
        #expect(next(15) == .read(starts: 10, sendAt: nil))
        #expect(next(16) == .waitForRoom)
        // However small the room is, what nobody waits for goes on.
        let tiny = RolloutLimits(shardSize: 10, lookahead: 1)
        #expect(rollout.next(now: self.now, pace: tiny, backlog: RolloutBacklog()) == .read(starts: 10, sendAt: nil))
    }

    @Test("has a turn for each shard where it is throttled, which is not made up for when it was missed")
    func turns() {
        var rollout = self.claimed(ratePerSecond: 50)
        let pace = RolloutLimits()
        // 100 starts every 2 seconds.
        #expect(
            rollout.next(now: self.now, pace: pace, backlog: RolloutBacklog()) == .read(starts: 100, sendAt: self.now)
        )
        var shard = self.shard(rollout, place: 5)
        shard.sendAt = self.now
        self.expect(true, &rollout) {
            $0.advance(by: shard, .init(startsSent: 100), planner: self.planner, until: self.until, now: self.now)
        }
        let turn = self.now.addingTimeInterval(2)
        #expect(
            rollout.next(now: self.now, pace: pace, backlog: RolloutBacklog())
                == .wait(until: turn.addingTimeInterval(-1))
        )
        let soon = turn.addingTimeInterval(-1)
        #expect(rollout.next(now: soon, pace: pace, backlog: RolloutBacklog()) == .read(starts: 100, sendAt: turn))
        let late = turn.addingTimeInterval(60)
        #expect(rollout.next(now: late, pace: pace, backlog: RolloutBacklog()) == .read(starts: 100, sendAt: late))
        // Two shards may be on their way.
        let full = RolloutBacklog(targets: 100)
        #expect(rollout.next(now: late, pace: pace, backlog: full) == .read(starts: 100, sendAt: late))
        #expect(rollout.next(now: late, pace: pace, backlog: RolloutBacklog(targets: 101)) == .waitForRoom)
        // In a rollout with short turns two seconds' worth may be on its way.
        let short = RolloutLimits(turn: .milliseconds(100))
        #expect(rollout.next(now: late, pace: short, backlog: RolloutBacklog(targets: 96)) == .waitForRoom)
    }

    @Test("advances for whoever holds its lease and knows how far it is")
    func advance() {
        var rollout = self.claimed()
        let shard = self.shard(rollout, place: 7)
        self.expect(false, &rollout) {
            $0.advance(by: shard, .init(startsSent: 3), planner: "other", until: self.until, now: self.now)
        }
        self.expect(true, &rollout) {
            $0.advance(by: shard, .init(startsSent: 3), planner: self.planner, until: self.until, now: self.now)
        }
        self.expect(false, &rollout) {
            $0.advance(by: shard, .init(startsSent: 3), planner: self.planner, until: self.until, now: self.now)
        }
        #expect(rollout.progress.place == 7)
        #expect(rollout.progress.counts == .init(startsSent: 3))
        let last = self.shard(rollout, place: 100, isLast: true)
        self.expect(true, &rollout) {
            $0.advance(
                by: last,
                .init(alreadyParticipating: 1),
                planner: self.planner,
                until: self.until,
                now: self.now
            )
        }
        #expect(rollout.state == .completed)
        #expect(rollout.claimableAt == nil)
        #expect(rollout.progress.expected == 4)
        #expect(rollout.progress.remaining == 0)
        let end = rollout
        self.expect(false, &rollout) { $0.stop(reason: "ended", now: self.now) }
        self.expect(false, &rollout) { $0.claim(by: self.planner, until: self.until, now: .distantFuture) }
        #expect(rollout == end)
    }

    @Test("is leased, given back, and taken over when the lease lapses")
    func leases() {
        var rollout = self.claimed()
        self.expect(false, &rollout) {
            $0.claim(by: "other", until: self.until, now: self.until.addingTimeInterval(-0.001))
        }
        self.expect(false, &rollout) { $0.extendLease(of: "other", until: .distantFuture) }
        self.expect(false, &rollout) { $0.release(by: "other", until: self.now, isSetback: false) }
        self.expect(true, &rollout) { $0.release(by: self.planner, until: self.now, isSetback: true) }
        #expect(rollout.setbacks == 1)
        self.expect(true, &rollout) { $0.claim(by: "other", until: self.until, now: self.now) }
        self.expect(true, &rollout) {
            $0.claim(by: self.planner, until: self.until.addingTimeInterval(15), now: self.until)
        }
        #expect(rollout.planner == self.planner)
    }

    @Test("stops when its activity is over")
    func over() {
        var rollout = self.claimed()
        let backlog = RolloutBacklog(isOver: true)
        #expect(rollout.next(now: self.now, pace: RolloutLimits(), backlog: backlog) == .stop)
        self.expect(true, &rollout) { $0.stop(reason: "ended", now: self.now) }
        #expect(rollout.state == .stopped)
        #expect(rollout.progress.reason == "ended")
        #expect(rollout.next(now: self.now, pace: RolloutLimits(), backlog: RolloutBacklog()) == .done)
    }
}
