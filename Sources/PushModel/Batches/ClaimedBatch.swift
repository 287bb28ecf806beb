// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A batch that a worker holds the lease of.
public struct ClaimedBatch: Hashable, Sendable {
    /// The batch, with all its targets.
    public let batch: Batch

    /// The index of the first target to send to; those before it have their outcome.
    public let cursor: Int

    /// Who holds the lease.
    public let worker: WorkerID

    /// When the lease lapses unless it is extended.
    public let leasedUntil: Date

    /// Describes a claim.
    ///
    /// - Parameters:
    ///   - batch: the batch, with all its targets.
    ///   - cursor: the index of the first target to send to.
    ///   - worker: who holds the lease.
    ///   - leasedUntil: when the lease lapses.
    public init(batch: Batch, cursor: Int, worker: WorkerID, leasedUntil: Date) {
        self.batch = batch
        self.cursor = cursor
        self.worker = worker
        self.leasedUntil = leasedUntil
    }
}
