// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
import Synchronization

/// The consumers of direct handoffs in a process; the implementation of a store's ``BatchStore/beginHandOver(to:)``.
public final class BatchHandoffRegistry: Sendable {
    private let takers = Mutex<[any DirectHandoffConsumer]>([])

    public init() {}

    public func add(_ taker: any DirectHandoffConsumer) {
        self.takers.withLock { $0.append(taker) }
    }

    public func remove(_ taker: any DirectHandoffConsumer) {
        self.takers.withLock { takers in takers.removeAll { $0 === taker } }
    }

    /// Offers the urgent ones of new batches, each to one taker after the other until one leases it.
    package func offer(_ batches: [Batch]) -> BatchHandoff {
        let takers = self.takers.withLock { $0 }
        var handOver = BatchHandoff()
        guard !takers.isEmpty else { return handOver }
        for batch in batches where batch.lane == .urgent && batch.expiresAt.map({ $0 > batch.createdAt }) ?? true {
            for taker in takers {
                guard let claimed = taker.offer(batch) else { continue }
                handOver.parts.append((taker, claimed))
                break
            }
        }
        return handOver
    }
}

/// The batches that a transaction leases to takers.
package struct BatchHandoff: Sendable {
    fileprivate var parts: [(taker: any DirectHandoffConsumer, claimed: ClaimedBatch)] = []

    package init() {}

    package var first: BatchID? { self.parts.first?.claimed.batch.id }

    package var claims: [BatchID: ClaimedBatch] {
        Dictionary(self.parts.map { ($0.claimed.batch.id, $0.claimed) }) { first, _ in first }
    }

    package mutating func append(_ other: BatchHandoff) { self.parts += other.parts }

    /// Passes the batches to their takers, after the commit.
    package func complete() {
        var parts = self.parts
        while let taker = parts.first?.taker {
            taker.take(parts.filter { $0.taker === taker }.map(\.claimed))
            parts.removeAll { $0.taker === taker }
        }
    }

    /// Notifies the consumers that the batches are not stored, or may not be.
    package func withdraw() {
        for part in self.parts { part.taker.forgo(part.claimed.batch) }
    }
}

/// Sends batches that are accepted in the same process, and need not be claimed for that.
///
/// A store offers it each urgent batch in the transaction that stores it. Each batch that it leases is passed to
/// ``take(_:)`` or ``forgo(_:)`` later.
public protocol DirectHandoffConsumer: AnyObject, Sendable {
    /// Leases a batch and keeps a place for it, or returns `nil` if it is not to be sent at once; must not wait.
    ///
    /// If the transaction runs again, the batch is forgone and offered again.
    func offer(_ batch: Batch) -> ClaimedBatch?

    /// The batches are stored, and leased to this taker: all those of one transaction.
    func take(_ claimed: [ClaimedBatch])

    func forgo(_ batch: Batch)
}
