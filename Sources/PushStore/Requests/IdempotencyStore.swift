// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The answers to requests that must not be carried out twice.
///
/// A record is made by ``BatchStore/accept(_:batches:noting:)``, ``CampaignStore/createCampaign(_:noting:)`` and the changes
/// of ``ActivityStore``, in the transaction that stores what was asked for.
public protocol IdempotencyStore: Sendable {
    /// What was answered under a caller's key; `nil` when nothing was, or the record was removed.
    func idempotencyRecord(_ slot: IdempotencySlot) async throws -> IdempotencyRecord?

    /// Replaces the answer of a record; does nothing when there is none.
    func setAnswer(_ answer: IdempotencyRecord.Answer, for slot: IdempotencySlot) async throws

    /// Removes the records that were made before a time.
    ///
    /// - Parameters:
    ///   - time: the time.
    ///   - limit: the most records to remove, 1...1000.
    /// - Returns: how many were removed; fewer than `limit` when none are left.
    /// - Throws: ``StoreError``.
    @discardableResult
    func removeIdempotencyRecords(before time: Date, limit: Int) async throws -> Int
}
