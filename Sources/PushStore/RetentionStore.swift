// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import PushModel

/// Removes old rows in bounded, short transactions, in any number of processes at the same time.
public protocol RetentionStore: Sendable {
    /// Removes notifications that were settled before a time, the oldest first, in one transaction.
    ///
    /// Their batches, contents, counts and failures are removed too, and the campaigns or token validations that sent
    /// them. Unsettled ones stay. One with more rows than a call removes is no longer found after the first of its calls.
    ///
    /// `limit` is the approximate number of rows to remove, 100...10,000.
    func pruneNotifications(settledBefore time: Date, limit: Int) async throws -> PrunedNotifications

    /// Removes old chunks of streams, except the last one of each stream, in several short transactions.
    ///
    /// The number of accepted lines of a stream is kept.
    /// - Throws: ``StoreError``; earlier removals are not undone.
    @discardableResult
    func pruneChunks(before time: Date) async throws -> Int
}

public struct PrunedNotifications: Hashable, Sendable {
    public var notifications: Int
    public var batches: Int
    public var hasMore: Bool

    public init(notifications: Int = 0, batches: Int = 0, hasMore: Bool = false) {
        self.notifications = notifications
        self.batches = batches
        self.hasMore = hasMore
    }
}

/// How many activities or streams a call removed.
public struct PrunedItems: Hashable, Sendable {
    public var count: Int
    public var hasMore: Bool

    public init(count: Int = 0, hasMore: Bool = false) {
        self.count = count
        self.hasMore = hasMore
    }
}
