// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// What a worker learnt about one slice of a batch; a store books it in one transaction.
public struct Settlement: Hashable, Sendable {
    /// One target that came to anything but `delivered`.
    public struct Failure: Hashable, Sendable {
        /// The target's index in the batch, within the slice.
        public var index: Int

        /// What became of it; never `delivered`.
        public var outcome: Outcome

        /// Takes an index and what became of it.
        public init(index: Int, outcome: Outcome) {
            self.index = index
            self.outcome = outcome
        }
    }

    /// A token that APNs declared dead (410).
    public struct Prune: Hashable, Sendable {
        /// The token and its environment.
        public var target: Target

        /// The reason that APNs gave.
        public var reason: RejectionReason

        /// Since when it has been dead, in milliseconds since 1970; a younger registration stands.
        public var inactiveSince: Int64

        /// Takes a target, the reason and the time that APNs gave.
        public init(target: Target, reason: RejectionReason, inactiveSince: Int64) {
            self.target = target
            self.reason = reason
            self.inactiveSince = inactiveSince
        }
    }

    /// A token that APNs called bad.
    public struct Suspicion: Hashable, Sendable {
        /// The token and its environment.
        public var target: Target

        /// The reason that APNs gave.
        public var reason: RejectionReason

        /// Takes a target and the reason that APNs gave.
        public init(target: Target, reason: RejectionReason) {
            self.target = target
            self.reason = reason
        }
    }

    /// The batch.
    public let batch: BatchID

    /// The batch's lane: in it a store books what it has to book one after the other.
    public let lane: Lane

    /// Who sent the slice and holds the lease.
    public let worker: WorkerID

    /// The slice: it begins at the batch's cursor, and the cursor moves to its end.
    ///
    /// Empty when only deferred targets are settled.
    public let range: Range<Int>

    /// Deferred targets that were sent to, exactly as they were deferred, by their indices.
    public let resent: [Deferral]

    /// What did not succeed, by index, each index once; every target that is neither here nor deferred was delivered.
    public let failures: [Failure]

    /// The targets that have no outcome and are sent to later, by their indices.
    public let deferrals: [Deferral]

    /// Tokens to be marked invalid.
    public let prunes: [Prune]

    /// Tokens to be marked suspect.
    public let suspects: [Suspicion]

    /// Describes a settlement; ``init(of:range:resent:failures:deferrals:)`` finds out what to prune by itself.
    ///
    /// - Parameters:
    ///   - batch: the batch.
    ///   - lane: its lane.
    ///   - worker: who holds the lease.
    ///   - range: the slice that was sent.
    ///   - resent: deferred targets that were sent to, exactly as they were deferred, by their indices.
    ///   - failures: what did not succeed; indices within the slice or of `resent`, each once.
    ///   - deferrals: what has no outcome; indices within the slice or of `resent`, each once, in their order.
    ///   - prunes: tokens to be marked invalid.
    ///   - suspects: tokens to be marked suspect.
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

    /// How many targets came to what; what is neither a failure nor deferred was delivered.
    public var counts: OutcomeCounts {
        let sent = self.range.count + self.resent.count
        var counts = OutcomeCounts(delivered: max(0, sent - self.failures.count - self.deferrals.count))
        for failure in self.failures { counts.add(failure.outcome) }
        return counts
    }
}
