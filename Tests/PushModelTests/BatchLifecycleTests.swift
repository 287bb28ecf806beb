// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import Testing

@Suite("The lifecycle of a batch")
struct BatchLifecycleTests {
    private let now = Date(timeIntervalSince1970: 1000)
    private let until = Date(timeIntervalSince1970: 1060)
    private let mine: WorkerID = "mine"
    private let other: WorkerID = "other"

    private func leased(cursor: Int = 0, targets: Int = 10, expiresAt: Date? = nil) -> BatchLifecycle {
        BatchLifecycle(
            state: .leased(worker: self.mine, until: self.until),
            cursor: cursor,
            targetCount: targets,
            expiresAt: expiresAt,
            lastWorker: self.mine
        )
    }

    @Test("a pending batch is granted to whoever asks")
    func claim() {
        var batch = BatchLifecycle(targetCount: 10)
        #expect(batch.claim(by: self.mine, until: self.until, now: self.now) == .granted(cursor: 0))
        #expect(batch.state == .leased(worker: self.mine, until: self.until))
        #expect(batch == self.leased())
    }

    @Test("a leased batch is refused until its lease lapses, then granted from the cursor")
    func lapse() {
        var batch = self.leased(cursor: 4)
        let before = batch
        let early = self.until.addingTimeInterval(-0.001)
        #expect(batch.claim(by: self.other, until: .distantFuture, now: early) == .refused)
        #expect(batch.claim(by: self.mine, until: .distantFuture, now: early) == .refused)
        #expect(batch == before)
        #expect(batch.claim(by: self.other, until: .distantFuture, now: self.until) == .granted(cursor: 4))
        #expect(batch.lastWorker == self.other)
    }

    @Test("a batch whose time is over expires by a claim, but not under a worker that sends it")
    func expire() {
        var pending = BatchLifecycle(cursor: 3, targetCount: 10, expiresAt: self.now)
        #expect(pending.claim(by: self.mine, until: self.until, now: self.now) == .expired(remaining: 7))
        #expect(pending.state == .expired)
        #expect(pending.remainder == .expired)
        var leased = self.leased(cursor: 3, expiresAt: self.now)
        #expect(leased.claim(by: self.other, until: self.until, now: self.now) == .refused)
        #expect(leased.settle(3..<10, by: self.mine) == .applied(finished: true))
    }

    @Test("slices are settled one behind the other, and the last one settles the batch")
    func settle() {
        var batch = self.leased()
        #expect(batch.settle(0..<4, by: self.mine) == .applied(finished: false))
        #expect(batch.cursor == 4)
        #expect(batch.remaining == 6)
        #expect(batch.settle(4..<10, by: self.mine) == .applied(finished: true))
        #expect(batch.state == .settled)
        #expect(batch.remainder == nil)
    }

    @Test(
        "a slice that does not begin at the cursor, or ends behind the targets, is refused",
        arguments: [2..<6, 5..<10, 4..<11, 3..<5]
    )
    func misfit(range: Range<Int>) {
        var batch = self.leased(cursor: 4)
        let before = batch
        #expect(batch.settle(range, by: self.mine) == .leaseLost)
        #expect(batch == before)
    }

    @Test("a slice settled again by the same worker changes nothing, even when the batch is settled")
    func repetition() {
        var batch = self.leased()
        _ = batch.settle(0..<4, by: self.mine)
        #expect(batch.settle(0..<4, by: self.mine) == .alreadyApplied)
        #expect(batch.settle(0..<4, by: self.other) == .leaseLost)
        _ = batch.settle(4..<10, by: self.mine)
        #expect(batch.settle(4..<10, by: self.mine) == .alreadyApplied)
        #expect(batch.cursor == 10)
    }

    @Test("a worker whose batch was claimed by another has lost it in every respect")
    func lost() {
        var batch = self.leased(cursor: 4)
        _ = batch.claim(by: self.other, until: .distantFuture, now: self.until)
        let before = batch
        #expect(batch.settle(4..<10, by: self.mine) == .leaseLost)
        #expect(batch.extendLease(of: self.mine, until: .distantFuture) == false)
        #expect(batch.release(by: self.mine) == false)
        #expect(batch == before)
    }

    @Test("a lease is extended, and given back with the cursor kept")
    func extendAndRelease() {
        var batch = self.leased(cursor: 4)
        let later = self.until.addingTimeInterval(60)
        #expect(batch.extendLease(of: self.mine, until: later) == true)
        #expect(batch.state == .leased(worker: self.mine, until: later))
        #expect(batch.release(by: self.mine) == true)
        #expect(batch.state == .pending)
        #expect(batch.claim(by: self.other, until: later, now: self.now) == .granted(cursor: 4))
    }

    @Test("a batch is cancelled once, with what is left of it")
    func cancel() {
        var batch = self.leased(cursor: 4)
        #expect(batch.cancel() == 6)
        #expect(batch.cancel() == nil)
        #expect(batch.remainder == .cancelled)
        #expect(batch.settle(4..<10, by: self.mine) == .leaseLost)
    }

    @Test("a final batch is never claimed again", arguments: [BatchState.settled, .cancelled, .expired])
    func final(state: BatchState) {
        var batch = BatchLifecycle(state: state, cursor: 10, targetCount: 10)
        #expect(state.isFinal)
        #expect(batch.claim(by: self.mine, until: self.until, now: .distantFuture) == .refused)
        #expect(batch.cancel() == nil)
    }
}
