// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What follows from a change of a pool's state, and is done once the lock is released.
///
/// Whoever waits and is taken out of the pool's state stands here with what he is told: nobody is taken out and told
/// nothing.
struct PoolActions {
    /// The connection to open.
    var open: Int?
    /// The connections to tell of work.
    var wake: [ConnectionHandle] = []
    var startTicking = false
    /// The callers for whom the queue has room now.
    var admit: [AdmissionQueue.Continuation] = []
    private var turnedAway: [(caller: AdmissionQueue.Continuation, failure: SendFailure)] = []
    private var unsent: [(targets: UnsentTargets, failure: SendFailure)] = []
    private var ended: [(target: ReturnedTarget, outcome: SendOutcome)] = []

    mutating func turnAway(_ callers: [AdmissionQueue.Continuation], with failure: SendFailure) {
        for caller in callers { self.turnedAway.append((caller, failure)) }
    }

    /// Targets leave the queue: those that were never sent come to `failure`.
    mutating func fail(_ unsent: [UnsentTargets], with failure: SendFailure) {
        for targets in unsent { self.unsent.append((targets, failure)) }
    }

    /// A target that came back is not sent again.
    mutating func end(_ target: ReturnedTarget, as outcome: SendOutcome) {
        self.ended.append((target, outcome))
    }

    /// Tells the callers, who may go on from here on other threads.
    func answerCallers() {
        for caller in self.admit { caller.resume(returning: nil) }
        for (caller, failure) in self.turnedAway { caller.resume(returning: failure) }
        for (targets, failure) in self.unsent { targets.fail(with: failure) }
        for (target, outcome) in self.ended { target.end(as: outcome) }
    }
}
