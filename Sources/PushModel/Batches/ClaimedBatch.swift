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

    /// The index of the first target to send to; those before it have their outcome or are deferred.
    public let cursor: Int

    /// The deferred targets that are due, by their indices: these are sent to as well.
    public let due: [Deferral]

    /// How often workers gave the batch back because it could not be carried out.
    public let setbacks: Int

    /// Who holds the lease.
    public let worker: WorkerID

    /// When the lease lapses unless it is extended.
    public let leasedUntil: Date

    /// Describes a claim.
    ///
    /// - Parameters:
    ///   - batch: the batch, with all its targets.
    ///   - cursor: the index of the first target to send to.
    ///   - due: the deferred targets that are due, by their indices.
    ///   - setbacks: how often the batch could not be carried out.
    ///   - worker: who holds the lease.
    ///   - leasedUntil: when the lease lapses.
    public init(
        batch: Batch,
        cursor: Int,
        due: [Deferral] = [],
        setbacks: Int = 0,
        worker: WorkerID,
        leasedUntil: Date
    ) {
        self.batch = batch
        self.cursor = cursor
        self.due = due
        self.setbacks = setbacks
        self.worker = worker
        self.leasedUntil = leasedUntil
    }
}
