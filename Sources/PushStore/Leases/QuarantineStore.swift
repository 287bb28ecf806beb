// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel

/// The items of work that are set aside, because three processes in a row were terminated while they had them, or because
/// their rows cannot be decoded.
///
/// The store only keeps workers from claiming them. The caller pauses, resumes or cancels the campaign or webhook, and
/// stops the rollout.
public protocol QuarantineStore: Sendable {
    func quarantinedItems(
        of app: AppID?,
        kind: WorkKind?,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<QuarantinedItem, Int64>

    /// The first items of which ``markReported(_:now:)`` has not been told, the earliest first.
    func unreportedItems(limit: Int) async throws -> [QuarantinedItem]

    /// Notes that an item was reported; returns `false` if it was noted before.
    func markReported(_ number: Int64, now: Date) async throws -> Bool

    func quarantinedItem(_ number: Int64) async throws -> QuarantinedItem?

    /// Lets workers claim an item again; its interruptions count from zero, and signals subscribers of all kinds.
    @discardableResult
    func repeatQuarantinedItem(_ number: Int64, now: Date) async throws -> QuarantinedItem?

    /// Removes the entry, and the item itself where nothing else refers to it: a delivery of a topic, an event of an endpoint.
    @discardableResult
    func removeQuarantinedItem(_ number: Int64, now: Date) async throws -> QuarantinedItem?
}
