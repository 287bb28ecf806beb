// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The takers of a process; what a store's ``BatchStore/beginHandOver(to:)`` is made of.
public final class BatchHandOvers: Sendable {
    private let takers = Mutex<[any BatchTaker]>([])

    /// Nobody takes anything yet.
    public init() {}

    /// Offers batches to a taker from now on.
    public func add(_ taker: any BatchTaker) {
        self.takers.withLock { $0.append(taker) }
    }

    /// Offers it nothing more.
    public func remove(_ taker: any BatchTaker) {
        self.takers.withLock { takers in takers.removeAll { $0 === taker } }
    }

    /// Offers the urgent ones of batches that are about to be accepted; each goes to the first who wants it.
    ///
    /// - Parameters:
    ///   - batches: the batches of one notification.
    ///   - now: when they are accepted.
    /// - Returns: those that are to be leased in the transaction that accepts them.
    public func offer(_ batches: [Batch], now: Date) -> BatchHandOver {
        let takers = self.takers.withLock { $0 }
        guard !takers.isEmpty else { return BatchHandOver(parts: []) }
        let urgent = batches.filter { $0.lane == .urgent && $0.expiresAt.map { $0 > now } ?? true }
        return BatchHandOver(
            parts: urgent.compactMap { batch in
                takers.first { $0.offer(batch, now: now) }.map { .init(taker: $0, batch: batch) }
            }
        )
    }
}

/// Those of a notification's batches that are leased in the transaction that accepts them.
public struct BatchHandOver: Sendable {
    fileprivate struct Part: Sendable {
        let taker: any BatchTaker
        let batch: Batch
    }

    private let parts: [Part]

    fileprivate init(parts: [Part]) {
        self.parts = parts
    }

    /// Leases the batches from now on; called within the transaction that accepts them.
    ///
    /// - Returns: the leases, by their batches.
    public func lease() -> [BatchID: ClaimedBatch] {
        Dictionary(uniqueKeysWithValues: self.parts.map { ($0.batch.id, $0.taker.lease($0.batch)) })
    }

    /// The batches are stored durably, under these leases.
    public func complete(_ claims: [BatchID: ClaimedBatch]) {
        for part in self.parts {
            if let claimed = claims[part.batch.id] { part.taker.take(claimed) }
        }
    }

    /// The batches were not accepted.
    public func withdraw() {
        for part in self.parts { part.taker.forgo(part.batch) }
    }
}
