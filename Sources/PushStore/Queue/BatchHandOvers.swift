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
    /// - Returns: what is to be leased in the transaction that accepts them.
    public func offer(_ batches: [Batch], now: Date) -> BatchHandOver {
        let takers = self.takers.withLock { $0 }
        guard !takers.isEmpty else { return BatchHandOver(parts: []) }
        let urgent = batches.filter { $0.lane == .urgent && $0.expiresAt.map { $0 > now } ?? true }
        return BatchHandOver(
            parts: urgent.compactMap { batch in
                for taker in takers {
                    if let claimed = taker.offer(batch, now: now) { return .init(taker: taker, claimed: claimed) }
                }
                return nil
            }
        )
    }
}

/// What of a notification's batches is leased in the transaction that accepts them.
public struct BatchHandOver: Sendable {
    fileprivate struct Part: Sendable {
        let taker: any BatchTaker
        let claimed: ClaimedBatch
    }

    private let parts: [Part]

    /// The leases, by their batches.
    public let claims: [BatchID: ClaimedBatch]

    fileprivate init(parts: [Part]) {
        self.parts = parts
        self.claims = Dictionary(uniqueKeysWithValues: parts.map { ($0.claimed.batch.id, $0.claimed) })
    }

    /// The batches are stored durably, and leased.
    public func complete() {
        for part in self.parts { part.taker.take(part.claimed) }
    }

    /// The batches were not accepted.
    public func withdraw() {
        for part in self.parts { part.taker.forgo(part.claimed) }
    }
}
