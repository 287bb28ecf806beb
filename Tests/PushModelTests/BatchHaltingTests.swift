// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import Testing

@Suite("Halting a batch")
struct BatchHaltingTests {
    private let now = Date(timeIntervalSince1970: 1_767_225_600)
    private let worker: WorkerID = "mine"

    private func leased() -> BatchLifecycle {
        var batch = BatchLifecycle(targetCount: 10)
        _ = batch.claim(by: self.worker, until: self.now.addingTimeInterval(60), now: self.now)
        return batch
    }

    @Test("what waits is paused at once, and goes on from where it was")
    func pausedWhilePending() {
        var batch = BatchLifecycle(state: .pending, cursor: 4, targetCount: 10)
        #expect(batch.halt(.pause) == .paused)
        #expect(batch.halt(.pause) == .unchanged)
        #expect(batch.claim(by: self.worker, until: .distantFuture, now: .distantFuture) == .refused)
        #expect(batch.resume(notBefore: nil) == true)
        #expect(batch.state == .pending)
        #expect(batch.cursor == 4)
        #expect(batch.resume(notBefore: nil) == false)
    }

    @Test("a batch that is being sent keeps its lease until its worker gives it back")
    func markedWhileLeased() {
        var batch = self.leased()
        #expect(batch.halt(.pause) == .marked(remaining: 10))
        #expect(batch.halt(.pause) == .unchanged)
        #expect(batch.settle(0..<3, by: self.worker) == .applied(finished: false))
        #expect(batch.extendLease(of: self.worker, until: .distantFuture) == true)
        #expect(batch.release(by: self.worker) == .paused)
        #expect(batch.state == .paused)
        #expect(batch.halt == nil)
        #expect(batch.cursor == 3)
    }

    @Test("cancelling counts only what has no outcome when the worker gives the batch back")
    func cancelledWhileLeased() {
        var batch = self.leased()
        #expect(batch.halt(.cancel) == .marked(remaining: 10))
        #expect(batch.halt(.pause) == .unchanged)
        _ = batch.settle(0..<7, by: self.worker)
        #expect(batch.release(by: self.worker) == .cancelled(remaining: 3))
        #expect(batch.state == .cancelled)
        #expect(batch.remainder == .cancelled)
    }

    @Test("a batch that is cancelled after it was paused ends, whether or not its worker has stopped")
    func cancelledWhilePaused() {
        var stopped = BatchLifecycle(state: .paused, cursor: 2, targetCount: 10)
        #expect(stopped.halt(.cancel) == .cancelled(remaining: 8))
        var running = self.leased()
        _ = running.halt(.pause)
        #expect(running.halt(.cancel) == .marked(remaining: 10))
        #expect(running.release(by: self.worker) == .cancelled(remaining: 10))
    }

    @Test("the lease of a worker that died is not given to another once the batch was halted")
    func lapsed() {
        var paused = self.leased()
        _ = paused.halt(.pause)
        #expect(paused.claim(by: "other", until: .distantFuture, now: self.now.addingTimeInterval(60)) == .paused)
        #expect(paused.state == .paused)
        var cancelled = self.leased()
        _ = cancelled.halt(.cancel)
        let claim = cancelled.claim(by: "other", until: .distantFuture, now: self.now.addingTimeInterval(60))
        #expect(claim == .cancelled(remaining: 10))
    }

    @Test("resuming before the worker has stopped leaves it at its work")
    func resumedWhileLeased() {
        var batch = self.leased()
        _ = batch.halt(.pause)
        #expect(batch.resume(notBefore: self.now) == true)
        #expect(batch.halt == nil)
        #expect(batch.release(by: self.worker) == .returned)
        #expect(batch.state == .pending)
    }

    @Test("a batch is resumed for its turn, but not before its deferred targets are due")
    func resumedForItsTurn() {
        let turn = self.now.addingTimeInterval(5)
        var batch = BatchLifecycle(state: .paused, targetCount: 10)
        _ = batch.resume(notBefore: turn)
        #expect(batch.state == .waiting(until: turn))
        let due = self.now.addingTimeInterval(90)
        let deferral = Deferral(index: 1, notBefore: due)
        var deferred = BatchLifecycle(state: .paused, cursor: 10, deferred: [deferral], targetCount: 10)
        _ = deferred.resume(notBefore: turn)
        #expect(deferred.state == .waiting(until: due))
    }

    @Test("a setback of a halted batch halts it, and is counted")
    func setBack() {
        var batch = self.leased()
        _ = batch.halt(.pause)
        #expect(batch.setBack(by: self.worker, until: .distantFuture) == .paused)
        #expect(batch.state == .paused)
        #expect(batch.setbacks == 1)
    }
}
