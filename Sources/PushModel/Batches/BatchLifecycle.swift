// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The state machine of a batch: who may send it, from where, and which targets are to be sent to again.
///
/// A value with no clock and no store: a store loads it, applies one event and writes it back in one transaction.
/// The cursor only ever grows; targets before it have their outcome, save those that are deferred.
public struct BatchLifecycle: Hashable, Sendable {
    /// Where the batch stands.
    public internal(set) var state: BatchState

    /// The index of the first target that was neither settled nor deferred, 0...`targetCount`.
    public internal(set) var cursor: Int

    /// The targets before the cursor that have no outcome, by their indices.
    public internal(set) var deferred: [Deferral]

    /// How many targets the batch has.
    public let targetCount: Int

    /// The time from which nothing more of it is sent; `nil` means never.
    public let expiresAt: Date?

    /// The worker that claimed or settled last; by it a repeated settlement is known.
    public internal(set) var lastWorker: WorkerID?

    /// How often a worker gave the batch back because it could not be carried out.
    public internal(set) var setbacks: Int

    /// What is to become of the batch once its worker has given it back; `nil` when it is to be sent.
    public internal(set) var halt: BatchHalt?

    /// How long it was paused in all: by so much later its patience ends.
    public internal(set) var held: Duration

    /// Restores a lifecycle from its parts, or begins one.
    ///
    /// - Parameters:
    ///   - state: where the batch stands; `pending` for a new one.
    ///   - cursor: the index of the first target that was neither settled nor deferred.
    ///   - deferred: the targets before the cursor that have no outcome, by their indices.
    ///   - targetCount: how many targets the batch has.
    ///   - expiresAt: the time from which nothing more of it is sent, or `nil`.
    ///   - lastWorker: the worker that claimed or settled last, or `nil`.
    ///   - setbacks: how often the batch could not be carried out.
    ///   - halt: what is to become of it once its worker has given it back, or `nil`.
    ///   - held: how long it was paused in all.
    public init(
        state: BatchState = .pending,
        cursor: Int = 0,
        deferred: [Deferral] = [],
        targetCount: Int,
        expiresAt: Date? = nil,
        lastWorker: WorkerID? = nil,
        setbacks: Int = 0,
        halt: BatchHalt? = nil,
        held: Duration = .zero
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
    }

    /// How many targets have no outcome yet, or none of their own once the batch is final.
    public var remaining: Int { self.targetCount - self.cursor + self.deferred.count }

    /// What became of the targets that are left once the batch is final; `nil` while it is not, and when it was
    /// settled to its end.
    public var remainder: FailureCode? {
        switch self.state {
        case .pending, .leased, .waiting, .paused, .settled: nil
        case .cancelled: .cancelled
        case .expired: .expired
        case .failed(let code): code
        }
    }

    /// Whether a target has an outcome of its own; if not, it comes to ``remainder``.
    public func isSettled(_ index: Int) -> Bool { index < self.cursor && self.deferral(of: index) == nil }

    /// From when a target may be sent to that nobody is sending to; `nil` for one that has its outcome, or may be under way.
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

    /// Whether the worker holds the lease, lapsed or not.
    func isLeased(by worker: WorkerID) -> Bool {
        if case .leased(worker, _) = self.state { true } else { false }
    }
}
