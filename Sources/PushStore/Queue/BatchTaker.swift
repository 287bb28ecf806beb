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
/// accepts them. Each offer that is answered with a claim is followed by ``take(_:)`` or ``forgo(_:)``.
public protocol BatchTaker: AnyObject, Sendable {
    /// Decides whether to send a batch at once, and keeps a place for it if so; must not wait.
    ///
    /// - Parameters:
    ///   - batch: a batch that is about to be accepted.
    ///   - now: when it is accepted.
    /// - Returns: the lease; `nil` leaves the batch to whoever claims it.
    func offer(_ batch: Batch, now: Date) -> ClaimedBatch?

    /// The batch is stored, and leased to this taker.
    func take(_ claimed: ClaimedBatch)

    /// The batch was not accepted.
    func forgo(_ claimed: ClaimedBatch)
}
