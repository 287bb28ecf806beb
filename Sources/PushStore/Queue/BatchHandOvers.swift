// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
import Synchronization

/// The takers of a process; what a store's ``BatchStore/beginHandOver(to:)`` is made of.
public final class BatchHandOvers: Sendable {
    private let takers = Mutex<[any BatchTaker]>([])

    public init() {}

    public func add(_ taker: any BatchTaker) {
        self.takers.withLock { $0.append(taker) }
    }

    public func remove(_ taker: any BatchTaker) {
        self.takers.withLock { takers in takers.removeAll { $0 === taker } }
    }

    /// Offers the urgent ones of new batches, each to the first taker who wants it; returns those to be leased.
    public func offer(_ batches: [Batch], now: Date) -> BatchHandOver {
        let takers = self.takers.withLock { $0 }
        var handOver = BatchHandOver()
        guard !takers.isEmpty else { return handOver }
        for batch in batches where batch.lane == .urgent && batch.expiresAt.map({ $0 > now }) ?? true {
            if let taker = takers.first(where: { $0.offer(batch, now: now) }) { handOver.parts.append((taker, batch)) }
        }
        return handOver
    }
}

/// Those of a notification's batches that are leased in the transaction that accepts them.
public struct BatchHandOver: Sendable {
    fileprivate var parts: [(taker: any BatchTaker, batch: Batch)] = []

    package init() {}

    package mutating func append(_ other: BatchHandOver) { self.parts += other.parts }

    public func lease() -> [BatchID: ClaimedBatch] {
        Dictionary(self.parts.map { ($0.batch.id, $0.taker.lease($0.batch)) }) { first, _ in first }
    }

    /// The batches with a lease are stored durably; the others are not stored.
    public func complete(_ claims: [BatchID: ClaimedBatch]) {
        for part in self.parts where claims[part.batch.id] == nil { part.taker.forgo(part.batch) }
        var parts = self.parts.filter { claims[$0.batch.id] != nil }
        while let taker = parts.first?.taker {
            taker.take(parts.compactMap { $0.taker === taker ? claims[$0.batch.id] : nil })
            parts.removeAll { $0.taker === taker }
        }
    }

    public func withdraw() {
        for part in self.parts { part.taker.forgo(part.batch) }
    }
}

/// Sends batches that are accepted in the same process, and need not be claimed for that.
///
/// A store offers it each urgent batch before it accepts it, and leases those that it wants in the transaction that
/// accepts them. Each batch that it wants is passed to ``take(_:)`` or ``forgo(_:)`` later.
public protocol BatchTaker: AnyObject, Sendable {
    /// Decides whether to send a batch at once, and keeps a place for it if so; must not wait.
    func offer(_ batch: Batch, now: Date) -> Bool

    /// Leases a batch for which a place is kept; must not wait.
    ///
    /// The transaction may have waited long, so the lease begins only now. It may run more than once; its last lease
    /// counts.
    func lease(_ batch: Batch) -> ClaimedBatch

    /// The batches are stored, and leased to this taker: all those of one transaction.
    func take(_ claimed: [ClaimedBatch])

    func forgo(_ batch: Batch)
}
