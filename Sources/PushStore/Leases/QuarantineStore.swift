// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel

/// The quarantined items of work.
///
/// Three consecutive claims of an item ended without settlement or release (the worker was terminated, or the lease of
/// a batch expired), or its row cannot be decoded. The store only keeps workers from claiming these items. The caller
/// pauses, resumes or cancels the campaign or webhook, and stops the rollout.
public protocol QuarantineStore: Sendable {
    func quarantinedItems(
        of app: AppID?,
        kind: WorkKind?,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<QuarantinedItem, Int64>

    /// Returns the first items that ``markReported(_:now:)`` has not marked, the earliest first.
    func unreportedItems(limit: Int) async throws -> [QuarantinedItem]

    /// Marks an item as reported; returns `false` if it was marked before.
    func markReported(_ number: Int64, now: Date) async throws -> Bool

    func quarantinedItem(_ number: Int64) async throws -> QuarantinedItem?

    /// Lets workers claim an item again with zero interruptions; signals subscribers of all kinds.
    @discardableResult
    func repeatQuarantinedItem(_ number: Int64, now: Date) async throws -> QuarantinedItem?

    /// Removes the entry, and the item itself if nothing else refers to it: a topic delivery or an endpoint event.
    @discardableResult
    func removeQuarantinedItem(_ number: Int64, now: Date) async throws -> QuarantinedItem?
}
