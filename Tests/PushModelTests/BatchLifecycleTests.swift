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

    @Test("a batch that is handed over is leased as if it had been claimed")
    func handedOver() {
        let end = Date(timeIntervalSince1970: 1_767_225_660)
        let worker: WorkerID = "taker"
        var claimed = BatchLifecycle(targetCount: 10)
        _ = claimed.claim(by: worker, until: end, now: end.addingTimeInterval(-60))
        #expect(BatchLifecycle(targetCount: 10).leased(to: worker, until: end) == claimed)
    }

    @Test("a pending batch is granted to whoever asks")
    func claim() {
        var batch = BatchLifecycle(targetCount: 10)
        #expect(batch.claim(by: self.mine, until: self.until, now: self.now) == .granted(cursor: 0, due: []))
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
        #expect(batch.claim(by: self.other, until: .distantFuture, now: self.until) == .granted(cursor: 4, due: []))
        #expect(batch.lastWorker == self.other)
    }

    @Test("a batch is quarantined when three workers in a row were terminated, and is a suspect before")
    func quarantined() {
        var batch = self.leased(cursor: 4)
        var now = self.until
        for isSuspect in [false, true] {
            let end = now.addingTimeInterval(60)
            #expect(batch.claim(by: self.other, until: end, now: now) == .granted(cursor: 4, due: []))
            #expect(batch.interruptions.isSuspect == isSuspect)
            now = end
        }
        #expect(batch.claim(by: self.mine, until: .distantFuture, now: now) == .quarantined(remaining: 6))
        #expect(batch.state == .failed(.quarantined))
        #expect(batch.remainder == .quarantined)
    }

    @Test("a worker that settles or releases a batch ends the count of those that were terminated")
    func survived() {
        for settles in [true, false] {
            var batch = BatchLifecycle(
                state: .leased(worker: self.mine, until: self.until),
                targetCount: 10,
                lastWorker: self.mine,
                interruptions: Interruptions(2)
            )
            if settles {
                #expect(batch.settle(0..<3, by: self.mine) == .applied(finished: false))
            } else {
                #expect(batch.release(by: self.mine) == .returned)
            }
            #expect(batch.interruptions == Interruptions())
        }
        #expect(Interruptions(-1).count == 0)
        #expect(Interruptions(.max).isTooMany)
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
        #expect(batch.release(by: self.mine) == .refused)
        #expect(batch == before)
    }

    @Test("a lease is extended, and given back with the cursor kept")
    func extendAndRelease() {
        var batch = self.leased(cursor: 4)
        let later = self.until.addingTimeInterval(60)
        #expect(batch.extendLease(of: self.mine, until: later) == true)
        #expect(batch.state == .leased(worker: self.mine, until: later))
        #expect(batch.release(by: self.mine) == .returned)
        #expect(batch.state == .pending)
        #expect(batch.claim(by: self.other, until: later, now: self.now) == .granted(cursor: 4, due: []))
    }

    @Test("a batch is cancelled once, with what is left of it")
    func cancel() {
        var batch = BatchLifecycle(state: .pending, cursor: 4, targetCount: 10)
        #expect(batch.halt(.cancel) == .cancelled(remaining: 6))
        #expect(batch.halt(.cancel) == .unchanged)
        #expect(batch.remainder == .cancelled)
        #expect(batch.settle(4..<10, by: self.mine) == .leaseLost)
    }

    @Test(
        "a final batch is never claimed again",
        arguments: [BatchState.settled, .cancelled, .expired, .failed(.corrupt)]
    )
    func final(state: BatchState) {
        var batch = BatchLifecycle(state: state, cursor: 10, targetCount: 10)
        #expect(state.isFinal)
        #expect(batch.claim(by: self.mine, until: self.until, now: .distantFuture) == .refused)
        #expect(batch.halt(.cancel) == .unchanged)
        #expect(batch.halt(.pause) == .unchanged)
    }

    // MARK: Deferred targets

    private func deferral(_ index: Int, after seconds: Double = 0, attempts: Int = 0) -> Deferral {
        Deferral(index: index, attempts: attempts, notBefore: self.now.addingTimeInterval(seconds))
    }

    @Test("the cursor passes over deferred targets, and the batch is settled when these are")
    func deferred() {
        var batch = self.leased()
        let first = [self.deferral(2, after: 60), self.deferral(5, after: 60)]
        #expect(batch.settle(0..<10, deferring: first, by: self.mine) == .applied(finished: false))
        #expect(batch.remaining == 2)
        #expect((0..<10).filter { !batch.isSettled($0) } == [2, 5])
        let again = [self.deferral(5, after: 120, attempts: 1)]
        #expect(batch.settle(0..<0, resent: first, deferring: again, by: self.mine) == .applied(finished: false))
        #expect(batch.deferred == again)
        #expect(batch.settle(0..<0, resent: again, by: self.mine) == .applied(finished: true))
        #expect(batch.state == .settled)
    }

    @Test("a batch of which only deferred targets are left waits for the first of them, then hands out what is due")
    func waiting() {
        var batch = self.leased()
        let deferrals = [self.deferral(2, after: 60), self.deferral(5, after: 90)]
        _ = batch.settle(0..<10, deferring: deferrals, by: self.mine)
        #expect(batch.release(by: self.mine) == .returned)
        let due = deferrals[0].notBefore
        #expect(batch.state == .waiting(until: due))
        #expect(batch.claim(by: self.other, until: .distantFuture, now: due.addingTimeInterval(-1)) == .refused)
        let claim = batch.claim(by: self.other, until: .distantFuture, now: due)
        #expect(claim == .granted(cursor: 10, due: [deferrals[0]]))
    }

    @Test("when a worker dies whose batch has only deferred targets left, the next claim lets it wait")
    func postponed() {
        var batch = self.leased()
        _ = batch.settle(0..<10, deferring: [self.deferral(2, after: 3600)], by: self.mine)
        #expect(batch.claim(by: self.other, until: .distantFuture, now: self.until) == .postponed)
        #expect(batch.state == .waiting(until: self.now.addingTimeInterval(3600)))
    }

    @Test("deferred targets settled again by the same worker change nothing, by another they are refused")
    func repeatedResend() {
        var batch = self.leased()
        let deferrals = [self.deferral(2), self.deferral(5)]
        _ = batch.settle(0..<10, deferring: deferrals, by: self.mine)
        _ = batch.settle(0..<0, resent: [deferrals[0]], by: self.mine)
        let before = batch
        #expect(batch.settle(0..<0, resent: [deferrals[0]], by: self.mine) == .alreadyApplied)
        #expect(batch.settle(0..<0, resent: [deferrals[1]], by: self.other) == .leaseLost)
        #expect(batch == before)
    }

    @Test("deferred targets come to what ends the batch")
    func remainder() {
        var batch = self.leased(expiresAt: self.until)
        _ = batch.settle(0..<10, deferring: [self.deferral(3, after: 3600)], by: self.mine)
        #expect(batch.claim(by: self.other, until: .distantFuture, now: self.until) == .expired(remaining: 1))
        #expect(batch.remainder == .expired)
        #expect(batch.isSettled(2) && !batch.isSettled(3))
    }

    // MARK: Setbacks

    @Test("a batch that is set back waits, and that is counted; only its holder can do it")
    func setBack() {
        var batch = self.leased()
        #expect(batch.setBack(by: self.other, until: self.until) == .refused)
        #expect(batch.setBack(by: self.mine, until: self.until) == .returned)
        #expect(batch.state == .waiting(until: self.until))
        #expect(batch.setbacks == 1)
        #expect(batch.claim(by: self.other, until: .distantFuture, now: self.now) == .refused)
        #expect(batch.claim(by: self.other, until: .distantFuture, now: self.until) == .granted(cursor: 0, due: []))
    }

    @Test(
        "a batch is closed by its holder, with a reason for what is left",
        arguments: [(.expired, .expired), (.corrupt, .failed(.corrupt)), (.storeError, .failed(.storeError))]
            as [(FailureCode, BatchState)]
    )
    func close(code: FailureCode, state: BatchState) {
        var batch = self.leased(cursor: 4)
        #expect(batch.close(by: self.other, as: code) == nil)
        #expect(batch.close(by: self.mine, as: code) == 6)
        #expect(batch.state == state)
        #expect(batch.remainder == code)
        #expect(batch.close(by: self.mine, as: code) == nil)
    }
}
