// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// What a claim brought.
public struct BatchClaim: Hashable, Sendable {
    /// What was leased, each with the cursor to go on from and the deferred targets that are due; the oldest first.
    public var batches: [ClaimedBatch]

    /// What targets came to whose batches ended by the claim: expired, called off, or damaged.
    public var ended: OutcomeCounts

    /// Takes both as they are.
    public init(batches: [ClaimedBatch] = [], ended: OutcomeCounts = OutcomeCounts()) {
        self.batches = batches
        self.ended = ended
    }
}
