// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How far one batch of a notification has come.
public struct BatchStatus: Hashable, Sendable {
    /// The batch.
    public let id: BatchID

    /// Its place among the notification's batches, from 0.
    public let ordinal: Int

    /// Its state, its cursor and its size.
    public let lifecycle: BatchLifecycle

    /// What its targets came to so far; those that expired or were cancelled are counted as failed.
    public let counts: OutcomeCounts

    /// Describes a batch's standing.
    ///
    /// - Parameters:
    ///   - id: the batch.
    ///   - ordinal: its place among the notification's batches.
    ///   - lifecycle: its state, its cursor and its size.
    ///   - counts: what its targets came to so far.
    public init(id: BatchID, ordinal: Int, lifecycle: BatchLifecycle, counts: OutcomeCounts) {
        self.id = id
        self.ordinal = ordinal
        self.lifecycle = lifecycle
        self.counts = counts
    }
}
