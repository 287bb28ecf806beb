// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// How many batches of one kind wait in a lane, or are being sent.
public struct OpenBatches: Hashable, Sendable {
    /// The lane.
    public let lane: Lane

    /// The kind.
    public let kind: BatchKind

    /// How many batches are not final.
    public let count: Int

    /// When the oldest of them was accepted, as its id tells.
    public let oldest: Date

    /// Describes the batches of one kind.
    ///
    /// - Parameters:
    ///   - lane: the lane.
    ///   - kind: the kind.
    ///   - count: how many batches are not final.
    ///   - oldest: when the oldest of them was accepted.
    public init(lane: Lane, kind: BatchKind, count: Int, oldest: Date) {
        self.lane = lane
        self.kind = kind
        self.count = count
        self.oldest = oldest
    }
}
