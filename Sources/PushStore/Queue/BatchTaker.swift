// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Sends batches that are accepted in the same process, and need not be claimed for that.
///
/// A store offers it each urgent batch before it accepts it, and leases those that it wants in the transaction that
/// accepts them. Each offer that is taken is followed by ``take(_:)`` or ``forgo(_:)``.
public protocol BatchTaker: AnyObject, Sendable {
    /// Decides whether to send a batch at once, and keeps a place for it if so; must not wait.
    ///
    /// - Parameters:
    ///   - batch: a batch that is about to be accepted.
    ///   - now: when it is accepted.
    /// - Returns: whether it wants the batch; it is left to whoever claims it otherwise.
    func offer(_ batch: Batch, now: Date) -> Bool

    /// Leases a batch for which a place is kept; must not wait.
    ///
    /// Called within the transaction that accepts it, which may have waited long for its turn: the lease begins only now. A
    /// transaction may run more than once; its last lease counts.
    func lease(_ batch: Batch) -> ClaimedBatch

    /// The batch is stored, and leased to this taker.
    func take(_ claimed: ClaimedBatch)

    /// The batch was not accepted.
    func forgo(_ batch: Batch)
}
