// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The state machine of a batch: who may send it, and from where.
///
/// A value with no clock and no store: a store loads it, applies one event and writes it back in one transaction.
/// The cursor only ever grows; targets before it have their outcome.
public struct BatchLifecycle: Hashable, Sendable {
    /// Where the batch stands.
    public private(set) var state: BatchState

    /// The index of the first target without an outcome, 0...`targetCount`.
    public private(set) var cursor: Int

    /// How many targets the batch has.
    public let targetCount: Int

    /// The time from which nothing more of it is sent; `nil` means never.
    public let expiresAt: Date?

    /// The worker that settled last; by it a repeated settlement is known.
    public private(set) var lastWorker: WorkerID?

    /// Restores a lifecycle from its parts, or begins one.
    ///
    /// - Parameters:
    ///   - state: where the batch stands; `pending` for a new one.
    ///   - cursor: the index of the first target without an outcome.
    ///   - targetCount: how many targets the batch has.
    ///   - expiresAt: the time from which nothing more of it is sent, or `nil`.
    ///   - lastWorker: the worker that settled last, or `nil`.
    public init(
        state: BatchState = .pending,
        cursor: Int = 0,
        targetCount: Int,
        expiresAt: Date? = nil,
        lastWorker: WorkerID? = nil
    ) {
        self.state = state
        self.cursor = cursor
        self.targetCount = targetCount
        self.expiresAt = expiresAt
        self.lastWorker = lastWorker
    }

    /// How many targets have no outcome yet.
    public var remaining: Int { self.targetCount - self.cursor }

    /// What became of the targets from the cursor on once the batch is final; `nil` while it is not, and when it
    /// was settled to its end.
    public var remainder: FailureCode? {
        switch self.state {
        case .pending, .leased, .settled: nil
        case .cancelled: .cancelled
        case .expired: .expired
        }
    }
}

// MARK: - Events

extension BatchLifecycle {
    /// What a claim comes to.
    public enum Claim: Hashable, Sendable {
        /// The worker holds the lease and sends from `cursor` on.
        case granted(cursor: Int)

        /// The batch's time was over: it is `expired` by this, with so many targets that were not sent to.
        case expired(remaining: Int)

        /// Another worker holds a lease that has not lapsed, or the batch is final. Nothing changed.
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
        case .settled, .cancelled, .expired: return .refused
        case .leased(_, let end) where end > now: return .refused
        case .pending, .leased: break
        }
        if let expiresAt, expiresAt <= now {
            self.state = .expired
            return .expired(remaining: self.remaining)
        }
        self.state = .leased(worker: worker, until: until)
        self.lastWorker = worker
        return .granted(cursor: self.cursor)
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

    /// The worker gives the batch back; the next claim goes on from the cursor.
    ///
    /// - Returns: whether the worker held the lease; nothing changes when it did not.
    public mutating func release(by worker: WorkerID) -> Bool {
        guard self.isLeased(by: worker) else { return false }
        self.state = .pending
        return true
    }

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

    /// A worker has the outcomes of the targets in `range`.
    ///
    /// A lease that has lapsed but that nobody claimed since is still the worker's.
    /// - Parameters:
    ///   - range: the slice; it has to begin at the cursor and end within the targets.
    ///   - worker: who sent it.
    /// - Returns: what the settlement comes to.
    public mutating func settle(_ range: Range<Int>, by worker: WorkerID) -> Settling {
        if range.upperBound <= self.cursor, self.lastWorker == worker { return .alreadyApplied }
        guard self.isLeased(by: worker), range.lowerBound == self.cursor, range.upperBound <= self.targetCount else {
            return .leaseLost
        }
        self.cursor = range.upperBound
        guard self.cursor == self.targetCount else { return .applied(finished: false) }
        self.state = .settled
        return .applied(finished: true)
    }

    /// The batch is called off.
    ///
    /// - Returns: how many targets have no outcome, or `nil` when the batch was final already.
    public mutating func cancel() -> Int? {
        guard !self.state.isFinal else { return nil }
        self.state = .cancelled
        return self.remaining
    }

    private func isLeased(by worker: WorkerID) -> Bool {
        if case .leased(worker, _) = self.state { true } else { false }
    }
}
