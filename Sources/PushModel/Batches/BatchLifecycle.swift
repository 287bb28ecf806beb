// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation

/// The state machine of a batch: who may send it, from where, and which targets are to be sent to again.
///
/// A value with no clock and no store: a store loads it, applies one event and writes it back in one transaction.
/// The cursor only ever grows; targets before it have their outcome, save those that are deferred.
public struct BatchLifecycle: Hashable, Sendable {
    public internal(set) var state: BatchState

    /// The index of the first target that was neither settled nor deferred, 0...`targetCount`.
    public internal(set) var cursor: Int

    /// The targets before the cursor that have no outcome, by their indices.
    public internal(set) var deferred: [Deferral]

    public let targetCount: Int

    /// The time from which nothing more of it is sent; `nil` means never.
    public let expiresAt: Date?

    /// The worker that claimed or settled last; by it a repeated settlement is known.
    public internal(set) var lastWorker: WorkerID?

    /// How often a worker gave the batch back because it could not be carried out.
    public internal(set) var setbacks: Int

    /// The stop request that applies when its worker has released the batch; `nil` if there is none.
    public internal(set) var halt: StopRequest?

    /// How long it was paused in all: by so much later its patience ends.
    public internal(set) var held: Duration

    /// The claims in a row whose workers were terminated, or whose leases expired.
    public internal(set) var interruptions: Interruptions

    public init(
        state: BatchState = .pending,
        cursor: Int = 0,
        deferred: [Deferral] = [],
        targetCount: Int,
        expiresAt: Date? = nil,
        lastWorker: WorkerID? = nil,
        setbacks: Int = 0,
        halt: StopRequest? = nil,
        held: Duration = .zero,
        interruptions: Interruptions = Interruptions()
    ) {
        self.state = state
        self.cursor = cursor
        self.deferred = deferred
        self.targetCount = targetCount
        self.expiresAt = expiresAt
        self.lastWorker = lastWorker
        self.setbacks = setbacks
        self.halt = halt
        self.held = held
        self.interruptions = interruptions
    }

    /// How many targets have no outcome yet, or none of their own once the batch is final.
    public var remaining: Int {
        self.targetCount.subtractingClamping(self.cursor).addingClamping(self.deferred.count)
    }

    /// The outcome of the remaining targets of a final batch; `nil` if the batch is not final, or every target was
    /// settled.
    public var remainder: FailureCode? {
        switch self.state {
        case .pending, .leased, .waiting, .paused, .settled: nil
        case .cancelled: .cancelled
        case .expired: .expired
        case .failed(let code): code
        }
    }

    /// Whether a target has a separate outcome; otherwise it has that of ``remainder``.
    public func isSettled(_ index: Int) -> Bool { index < self.cursor && self.deferral(of: index) == nil }

    /// When a target may be sent to; `nil` if it has its outcome, or may be in flight.
    public func waitingTime(of index: Int) -> Date? {
        guard case .waiting(let until) = self.state else { return nil }
        return index < self.cursor ? self.deferral(of: index)?.notBefore : until
    }

    /// How a target was deferred; `nil` for one that is not.
    private func deferral(of index: Int) -> Deferral? {
        var range = 0..<self.deferred.count
        while let middle = range.isEmpty ? nil : range.lowerBound + range.count / 2 {
            let found = self.deferred[middle]
            if found.index == index { return found }
            range = found.index < index ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }

    /// When the first of the deferred targets may be sent to; `nil` when there are none.
    var firstDue: Date? { self.deferred.map(\.notBefore).min() }

    /// Whether the worker has the lease, even if it has expired.
    func isLeased(by worker: WorkerID) -> Bool {
        if case .leased(worker, _) = self.state { true } else { false }
    }
}

extension BatchLifecycle {
    /// The result of a claim.
    public enum Claim: Hashable, Sendable {
        /// The worker holds the lease, and sends to the deferred targets that are due and from `cursor` on.
        case granted(cursor: Int, due: [Deferral])

        /// The batch had expired and is `expired` now, with this number of targets that were not sent to.
        case expired(remaining: Int)

        /// All that is left is deferred to a later time: it is `waiting` by this.
        case postponed

        /// Its lease expired after a stop request: it is `paused` now.
        case paused

        /// Its lease expired after a stop request: it is `cancelled` now, with this number of targets without an
        /// outcome.
        case cancelled(remaining: Int)

        /// Too many claims in a row were interrupted: the batch has `failed` now, with this number of targets without
        /// an outcome.
        case quarantined(remaining: Int)

        /// Another worker has a lease that has not expired, the batch is not due, or it is final.
        ///
        /// Nothing changed.
        case refused
    }

    /// A worker asks for the batch.
    ///
    /// A lease expires at `until` itself.
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
        if case .leased = self.state { self.interruptions.add() }
        if self.interruptions.isTooMany {
            self.state = .failed(.quarantined)
            return .quarantined(remaining: self.remaining)
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

    /// The lifecycle of a batch that is handed directly to a worker, and is stored with its lease.
    ///
    /// Only a batch that may be sent is handed over, and no other worker has seen it, so a claim would change nothing
    /// else.
    /// - Returns: the same lifecycle, leased; it must be pending.
    public func leased(to worker: WorkerID, until: Date) -> BatchLifecycle {
        var leased = self
        leased.state = .leased(worker: worker, until: until)
        leased.lastWorker = worker
        return leased
    }

    /// Extends the lease.
    ///
    /// An expired lease still belongs to the worker until another worker claims the batch.
    /// - Returns: whether the worker has the lease; nothing changes if it has not.
    public mutating func extendLease(of worker: WorkerID, until: Date) -> Bool {
        guard self.isLeased(by: worker) else { return false }
        self.state = .leased(worker: worker, until: until)
        return true
    }

    /// The result of a release.
    public enum Release: Hashable, Sendable {
        /// It waits for the next claim.
        case returned

        /// It was halted: it is `paused` by this.
        case paused

        /// There was a stop request: the batch is `cancelled` now, with this number of targets without an outcome.
        case cancelled(remaining: Int)

        /// The worker does not hold the lease. Nothing changed.
        case refused

        /// The number of targets that this cancels.
        public var calledOff: Int { if case .cancelled(let remaining) = self { remaining } else { 0 } }
    }

    /// Releases the lease; the next claim continues at the cursor.
    ///
    /// A batch with only deferred targets left waits until the first of them is due. With a stop request, the batch
    /// becomes `paused` or `cancelled`.
    public mutating func release(by worker: WorkerID) -> Release {
        guard self.isLeased(by: worker) else { return .refused }
        self.interruptions.reset()
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

    /// Releases the lease after a processing failure, and increments the failure count.
    ///
    /// No worker claims the batch before `until`.
    ///
    /// - Returns: the result; with a stop request, the batch becomes `paused` or `cancelled`.
    public mutating func setBack(by worker: WorkerID, until: Date) -> Release {
        let release = self.release(by: worker)
        switch release {
        case .refused: return release
        case .returned: self.state = .waiting(until: until)
        case .paused, .cancelled: break
        }
        self.setbacks.add(clamping: 1)
        return release
    }

    /// Ends the batch before all targets have an outcome: `expired` for that code, `failed` for any other.
    ///
    /// - Returns: the number of targets that get the code; `nil` if the worker does not have the lease. Then nothing
    ///   changes.
    public mutating func close(by worker: WorkerID, as code: FailureCode) -> Int? {
        guard self.isLeased(by: worker) else { return nil }
        self.state = code == .expired ? .expired : .failed(code)
        return self.remaining
    }
}

// MARK: - Settling

extension BatchLifecycle {
    /// The result of a settlement.
    public enum Settling: Hashable, Sendable {
        /// The slice is settled and the cursor is behind it; `finished` when that was the last one.
        case applied(finished: Bool)

        /// The same worker settled this slice before: a repetition whose first answer was lost. Nothing changed.
        case alreadyApplied

        /// The worker does not have the lease, or the chunk does not start at the cursor, because another worker
        /// continued the batch. Nothing changed.
        case leaseLost
    }

    /// Records the outcomes of the targets in `range`, and of deferred ones that were due.
    ///
    /// An expired lease still belongs to the worker until another worker claims the batch. The range starts at the
    /// cursor and ends within the targets, unless it is empty. `resent` has deferred targets, exactly as they were
    /// deferred. `deferrals` has the targets of both without an outcome. Both lists are sorted by index.
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
        self.interruptions.reset()
        if !range.isEmpty { self.cursor = range.upperBound }
        // Both are sorted, which makes this linear.
        self.deferred = deferrals.isEmpty ? deferred : (deferred + deferrals).sorted { $0.index < $1.index }
        guard self.cursor == self.targetCount, self.deferred.isEmpty else { return .applied(finished: false) }
        self.state = .settled
        return .applied(finished: true)
    }
}

extension BatchLifecycle {
    /// Supersedes queued targets, because a newer version takes their place.
    ///
    /// It applies only to a batch that no worker has: targets that a worker has get their outcomes. The others keep
    /// their times.
    /// - Returns: the superseded targets, in their order; the caller must record their outcome. The batch is settled if
    ///   nothing else is left.
    public mutating func supersede(_ indices: Set<Int>) -> [Int] {
        let superseded = indices.filter { self.waitingTime(of: $0) != nil && $0 < self.targetCount }.sorted()
        guard let last = superseded.last, case .waiting(let until) = self.state else { return [] }
        if last >= self.cursor {
            // Those that have not had their turn are deferred until it comes, so that some of them can be left out.
            self.deferred += (self.cursor..<self.targetCount).map { Deferral(index: $0, notBefore: until) }
            self.cursor = self.targetCount
        }
        self.deferred.removeAll { indices.contains($0.index) }
        if self.cursor == self.targetCount, self.deferred.isEmpty { self.state = .settled }
        return superseded
    }
}
