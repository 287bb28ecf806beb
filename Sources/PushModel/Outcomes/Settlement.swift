// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// The outcomes of one chunk of a batch; a store commits it in one transaction.
public struct Settlement: Hashable, Sendable {
    /// A target with another outcome than `delivered`.
    public struct Failure: Hashable, Sendable {
        /// The target's index in the batch, within the slice.
        public var index: Int

        /// The outcome; never `delivered`.
        public var outcome: Outcome

        public init(index: Int, outcome: Outcome) {
            self.index = index
            self.outcome = outcome
        }
    }

    /// A token that APNs reported as unregistered (410).
    public struct Prune: Hashable, Sendable {
        public var target: Target
        public var reason: RejectionReason

        /// Since when it is unregistered, in milliseconds since 1970; a later registration stays valid.
        public var inactiveSince: Int64

        public init(target: Target, reason: RejectionReason, inactiveSince: Int64) {
            self.target = target
            self.reason = reason
            self.inactiveSince = inactiveSince
        }
    }

    /// A token that APNs called bad.
    public struct Suspicion: Hashable, Sendable {
        public var target: Target
        public var reason: RejectionReason

        public init(target: Target, reason: RejectionReason) {
            self.target = target
            self.reason = reason
        }
    }

    public let batch: BatchID

    /// The lane of the batch; a store settles the batches of a lane one after the other.
    public let lane: Lane

    /// The holder of the lease, which sent the slice.
    public let worker: WorkerID

    /// The slice: it begins at the batch's cursor, and the cursor moves to its end.
    ///
    /// Empty when only deferred targets are settled.
    public let range: Range<Int>

    /// Deferred targets that were sent to, exactly as they were deferred, by their indices.
    public let resent: [Deferral]

    /// The targets that failed, by index, each index once; every target that is neither here nor deferred was
    /// delivered.
    public let failures: [Failure]

    /// The targets that have no outcome and are sent to later, by their indices.
    public let deferrals: [Deferral]

    /// Tokens to be marked invalid.
    public let prunes: [Prune]

    /// Tokens to be marked suspect, and invalid if they are suspect in the other environment.
    public let suspects: [Suspicion]

    /// Creates a settlement; ``init(of:range:resent:failures:deferrals:)`` also determines the tokens to invalidate.
    public init(
        batch: BatchID,
        lane: Lane = .urgent,
        worker: WorkerID,
        range: Range<Int>,
        resent: [Deferral] = [],
        failures: [Failure] = [],
        deferrals: [Deferral] = [],
        prunes: [Prune] = [],
        suspects: [Suspicion] = []
    ) {
        self.batch = batch
        self.lane = lane
        self.worker = worker
        self.range = range
        self.resent = resent
        self.failures = failures
        self.deferrals = deferrals
        self.prunes = prunes
        self.suspects = suspects
    }

    /// The number of targets by outcome; targets that are neither failures nor deferred were delivered.
    public var counts: OutcomeCounts {
        let sent = self.range.count + self.resent.count
        var counts = OutcomeCounts(delivered: max(0, sent - self.failures.count - self.deferrals.count))
        for failure in self.failures { counts.add(failure.outcome) }
        return counts
    }
}

extension Settlement {
    /// Settles a slice of a claimed batch, pruning and suspecting as the reasons' next steps say.
    ///
    /// A 410 without a time counts as of the batch's acceptance: a registration since then is not touched.
    public init(
        of claimed: ClaimedBatch,
        range: Range<Int> = 0..<0,
        resent: [Deferral] = [],
        failures: [Failure],
        deferrals: [Deferral] = []
    ) {
        var prunes: [Prune] = []
        var suspects: [Suspicion] = []
        let accepted = claimed.batch.createdAt.millisecondsSince1970
        for failure in failures {
            guard case .rejected(let rejection) = failure.outcome else { continue }
            let target = claimed.batch.targets[failure.index]
            switch rejection.nextStep {
            case .pruneToken:
                let time = rejection.inactiveSince ?? accepted
                prunes.append(Prune(target: target, reason: rejection.reason, inactiveSince: time))
            case .suspectToken:
                suspects.append(Suspicion(target: target, reason: rejection.reason))
            case .retryNow, .retryLater, .never, .fixCredential, .fixRequest:
                continue
            }
        }
        self.init(
            batch: claimed.batch.id,
            lane: claimed.batch.lane,
            worker: claimed.worker,
            range: range,
            resent: resent,
            failures: failures,
            deferrals: deferrals,
            prunes: prunes,
            suspects: suspects
        )
    }
}

extension Settlement {
    /// The outcomes of the batch if this settlement has all of them.
    ///
    /// - Returns: the outcomes of all of its targets; `nil` if others were settled before, or are left.
    public func outcomes(ofWhole batch: Batch) -> BatchOutcomes? {
        let count = batch.targets.count
        guard self.range == 0..<count, self.resent.isEmpty, self.deferrals.isEmpty else { return nil }
        let lifecycle = BatchLifecycle(
            state: .settled,
            cursor: count,
            targetCount: count,
            expiresAt: batch.expiresAt,
            lastWorker: self.worker
        )
        let failures = self.failures.map { ($0.index, $0.outcome) }
        return BatchOutcomes(lifecycle: lifecycle, failures: Dictionary(failures) { first, _ in first })
    }
}
