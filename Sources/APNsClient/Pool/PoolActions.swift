// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The actions that a change of the pool's state requires; the pool performs them after it releases the lock.
///
/// Every waiter that leaves the pool's state is listed here with its result, so that no continuation is leaked.
struct PoolActions {
    /// The connection to open.
    var open: Int?
    /// The connections to wake, because there is work.
    var wake: [ConnectionHandle] = []
    var startTicking = false
    /// The callers that the queue admits now.
    var admit: [AdmissionQueue.Continuation] = []
    private var turnedAway: [(caller: AdmissionQueue.Continuation, failure: SendFailure)] = []
    private var unsent: [(targets: UnsentTargets, failure: SendFailure)] = []
    private var ended: [(target: RetryTarget, outcome: SendOutcome)] = []

    mutating func turnAway(_ callers: [AdmissionQueue.Continuation], with failure: SendFailure) {
        for caller in callers { self.turnedAway.append((caller, failure)) }
    }

    /// Removes targets from the queue; those that were never sent fail with `failure`.
    mutating func fail(_ unsent: [UnsentTargets], with failure: SendFailure) {
        for targets in unsent { self.unsent.append((targets, failure)) }
    }

    /// Ends a returned target without another attempt.
    mutating func end(_ target: RetryTarget, as outcome: SendOutcome) {
        self.ended.append((target, outcome))
    }

    /// Resumes the callers; they can continue on other threads before this returns.
    func answerCallers() {
        for caller in self.admit { caller.resume(returning: nil) }
        for (caller, failure) in self.turnedAway { caller.resume(returning: failure) }
        for (targets, failure) in self.unsent { targets.fail(with: failure) }
        for (target, outcome) in self.ended { target.end(as: outcome) }
    }
}
