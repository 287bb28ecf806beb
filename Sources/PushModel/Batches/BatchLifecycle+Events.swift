// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension BatchLifecycle {
    /// What a claim comes to.
    public enum Claim: Hashable, Sendable {
        /// The worker holds the lease, and sends to the deferred targets that are due and from `cursor` on.
        case granted(cursor: Int, due: [Deferral])

        /// The batch's time was over: it is `expired` by this, with so many targets that were not sent to.
        case expired(remaining: Int)

        /// All that is left is deferred to a later time: it is `waiting` by this.
        case postponed

        /// Its lease lapsed after it was halted: it is `paused` by this.
        case paused

        /// Its lease lapsed after it was halted: it is `cancelled` by this, with so many targets without outcome.
        case cancelled(remaining: Int)

        /// Another worker holds a lease that has not lapsed, its time has not come, or the batch is final.
        ///
        /// Nothing changed.
        case refused
    }

    /// A worker asks for the batch.
    ///
    /// - Parameters:
    ///   - worker: who asks.
    ///   - until: when the lease lapses unless it is extended.
    ///   - now: the time of the claim; a lease lapses at `until` itself.
    /// - Returns: what the claim comes to.
    public mutating func claim(by worker: WorkerID, until: Date, now: Date) -> Claim {
        switch self.state {
        case .paused, .settled, .cancelled, .expired, .failed: return .refused
        case .leased(_, let end) where end > now: return .refused
        case .waiting(let end) where end > now: return .refused
        case .pending, .leased, .waiting: break
        }
        switch self.halt {
        case .pause:
            self.pauseNow()
            return .paused
        case .cancel: return .cancelled(remaining: self.cancelNow())
        case nil: break
        }
        if let expiresAt, expiresAt <= now {
            self.state = .expired
            return .expired(remaining: self.remaining)
        }
        let due = self.deferred.filter { $0.notBefore <= now }
        if due.isEmpty, self.cursor == self.targetCount, let next = self.firstDue {
            self.state = .waiting(until: next)
            return .postponed
        }
        self.state = .leased(worker: worker, until: until)
        self.lastWorker = worker
        return .granted(cursor: self.cursor, due: due)
    }

    /// The lifecycle of a batch that was offered to a worker before it is stored, and is stored as its own.
    ///
    /// Only what may be sent is offered, and nobody else has seen the batch: there is nothing that a claim would find.
    /// - Parameters:
    ///   - worker: who takes it.
    ///   - until: when the lease lapses unless it is extended.
    /// - Returns: the same, leased; it must be pending.
    public func leased(to worker: WorkerID, until: Date) -> BatchLifecycle {
        precondition(self.state == .pending, "a batch that is handed over has not been seen by anybody")
        var leased = self
        leased.state = .leased(worker: worker, until: until)
        leased.lastWorker = worker
        return leased
    }

    /// The worker asks for more time.
    ///
    /// A lease that has lapsed but that nobody claimed since is still the worker's.
    /// - Returns: whether the worker holds the lease; nothing changes when it does not.
    public mutating func extendLease(of worker: WorkerID, until: Date) -> Bool {
        guard self.isLeased(by: worker) else { return false }
        self.state = .leased(worker: worker, until: until)
        return true
    }

    /// What giving a batch back comes to.
    public enum Release: Hashable, Sendable {
        /// It waits for the next claim.
        case returned

        /// It was halted: it is `paused` by this.
        case paused

        /// It was halted: it is `cancelled` by this, with so many targets without outcome.
        case cancelled(remaining: Int)

        /// The worker does not hold the lease. Nothing changed.
        case refused

        /// How many targets are called off by it.
        public var calledOff: Int { if case .cancelled(let remaining) = self { remaining } else { 0 } }
    }

    /// The worker gives the batch back; the next claim goes on from the cursor.
    ///
    /// A batch of which only deferred targets are left waits until the first of them is due. One that was halted is
    /// `paused` or `cancelled` by this.
    /// - Returns: what that comes to.
    public mutating func release(by worker: WorkerID) -> Release {
        guard self.isLeased(by: worker) else { return .refused }
        switch self.halt {
        case .pause:
            self.pauseNow()
            return .paused
        case .cancel: return .cancelled(remaining: self.cancelNow())
        case nil:
            self.waitOrPend()
            return .returned
        }
    }

    /// The worker gives the batch back because it could not be carried out; that is counted.
    ///
    /// - Parameters:
    ///   - worker: who gives it back.
    ///   - until: nobody claims it before.
    /// - Returns: what that comes to; a halted batch is `paused` or `cancelled` by it.
    public mutating func setBack(by worker: WorkerID, until: Date) -> Release {
        let release = self.release(by: worker)
        switch release {
        case .refused: return release
        case .returned: self.state = .waiting(until: until)
        case .paused, .cancelled: break
        }
        self.setbacks += 1
        return release
    }

    /// The worker ends the batch before all targets have an outcome: `expired` by that code, `failed` by any other.
    ///
    /// - Returns: how many targets come to the code; `nil` when the worker does not hold the lease. Nothing changes
    ///   then.
    public mutating func close(by worker: WorkerID, as code: FailureCode) -> Int? {
        guard self.isLeased(by: worker) else { return nil }
        self.state = code == .expired ? .expired : .failed(code)
        return self.remaining
    }
}

// MARK: - Settling

extension BatchLifecycle {
    /// What a settlement comes to.
    public enum Settling: Hashable, Sendable {
        /// The slice is settled and the cursor is behind it; `finished` when that was the last one.
        case applied(finished: Bool)

        /// The same worker settled this slice before: a repetition whose first answer was lost. Nothing changed.
        case alreadyApplied

        /// The worker does not hold the lease, or the slice does not begin at the cursor, because another worker
        /// went on with the batch. Nothing changed.
        case leaseLost
    }

    /// A worker has the outcomes of the targets in `range`, and of deferred ones that were due.
    ///
    /// A lease that has lapsed but that nobody claimed since is still the worker's.
    /// - Parameters:
    ///   - range: a slice; unless it is empty, it has to begin at the cursor and end within the targets.
    ///   - resent: deferred targets, exactly as they were deferred, by their indices.
    ///   - deferrals: those of both that have no outcome after all, by their indices.
    ///   - worker: who sent them.
    /// - Returns: what the settlement comes to.
    public mutating func settle(
        _ range: Range<Int>,
        resent: [Deferral] = [],
        deferring deferrals: [Deferral] = [],
        by worker: WorkerID
    ) -> Settling {
        var missing = resent[...]
        var deferred: [Deferral] = []
        for deferral in self.deferred {
            if deferral == missing.first { missing.removeFirst() } else { deferred.append(deferral) }
        }
        let isRepeated = !missing.isEmpty || (!range.isEmpty && range.upperBound <= self.cursor)
        if isRepeated, self.lastWorker == worker { return .alreadyApplied }
        let fits = range.isEmpty || (range.lowerBound == self.cursor && range.upperBound <= self.targetCount)
        guard self.isLeased(by: worker), fits, !isRepeated else { return .leaseLost }
        if !range.isEmpty { self.cursor = range.upperBound }
        // Both are sorted, which makes this linear.
        self.deferred = deferrals.isEmpty ? deferred : (deferred + deferrals).sorted { $0.index < $1.index }
        guard self.cursor == self.targetCount, self.deferred.isEmpty else { return .applied(finished: false) }
        self.state = .settled
        return .applied(finished: true)
    }
}
