// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What is old goes, so that a store does not grow for ever.
///
/// Each call does a bounded piece of work in short transactions, so that nothing waits behind it. Any number of processes
/// may remove what is old at the same time.
public protocol RetentionStore: Sendable {
    /// Removes notifications that were settled before a time, the oldest first, in one transaction.
    ///
    /// With a notification go its batches, their contents, counts and failures, and the campaign or screening that sent it.
    /// One that is not settled stays, however old it is. One that has more than a call removes is gone by the
    /// first of these calls for whoever looks it up; the others remove what is left of it. Events stay, and so do devices as they are.
    ///
    /// A process of an older version does not note when it settled a notification: such a one counts from the acceptance of
    /// its last batch. It is looked for when nothing else is left to remove.
    /// - Parameters:
    ///   - time: what was settled before is removed.
    ///   - limit: about how many rows to remove, 100...10,000; the contents of one batch go together.
    /// - Returns: what was removed, and whether there may be more.
    /// - Throws: ``StoreError``.
    func pruneNotifications(settledBefore time: Date, limit: Int) async throws -> PrunedNotifications

    /// Removes the chunks of streams that were accepted before a time, all but the last one of each stream, in several
    /// short transactions.
    ///
    /// How many lines of a stream were accepted stays known.
    /// - Returns: how many were removed.
    /// - Throws: ``StoreError``; what was removed before stays removed.
    @discardableResult
    func pruneChunks(before time: Date) async throws -> Int
}

/// What was removed by one call of ``RetentionStore/pruneNotifications(settledBefore:limit:)``.
public struct PrunedNotifications: Hashable, Sendable {
    /// How many notifications were removed to their end.
    public var notifications: Int

    /// How many batches were removed.
    public var batches: Int

    /// Whether another call may find more.
    public var hasMore: Bool

    /// Takes counts; by default nothing was removed.
    public init(notifications: Int = 0, batches: Int = 0, hasMore: Bool = false) {
        self.notifications = notifications
        self.batches = batches
        self.hasMore = hasMore
    }
}
