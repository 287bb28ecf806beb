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

    /// Removes devices that a rule selects, from the next part of all devices, with their push-to-start tokens and
    /// subscriptions.
    ///
    /// A call reads at most 10,000 devices, in the order in which they are stored, and removes at most 1,000 in one
    /// transaction. A pass ends with a result without `next`.
    func pruneDevices(
        _ rule: DeviceRetention,
        after position: DevicePosition?
    ) async throws -> PrunedPart<DevicePosition>

    /// Removes push-to-start tokens that were issued before a time and whose device is not registered, from the next
    /// part of all tokens.
    ///
    /// A call reads at most 10,000 tokens, and removes at most 1,000 in one transaction.
    func pruneStartTokens(
        issuedBefore time: Date,
        after position: StartTokenPosition?
    ) async throws -> PrunedPart<StartTokenPosition>
}

/// Which devices are removed; platform endpoints of SNS applications with endpoints of their own never are.
public struct DeviceRetention: Hashable, Sendable {
    /// Removes devices that did not register since; `nil` for none.
    public var inactiveSince: Date?

    /// Removes devices that APNs reported as unregistered before this time; `nil` for none.
    public var invalidSince: Date?

    public init(inactiveSince: Date? = nil, invalidSince: Date? = nil) {
        self.inactiveSince = inactiveSince
        self.invalidSince = invalidSince
    }
}

/// A position in the order in which a store keeps devices.
public struct DevicePosition: Hashable, Sendable {
    package let app: Int64
    package let number: Int64

    package init(app: Int64, number: Int64) {
        self.app = app
        self.number = number
    }
}

/// A position in the order in which a store keeps push-to-start tokens.
public struct StartTokenPosition: Hashable, Sendable {
    package let app: Int64
    package let type: String
    package let installation: String

    package init(app: Int64, type: String, installation: String) {
        self.app = app
        self.type = type
        self.installation = installation
    }
}

/// The result of one step through a table.
public struct PrunedPart<Position: Hashable & Sendable>: Hashable, Sendable {
    public var count: Int

    /// Where the next call continues; `nil` at the end of the table.
    public var next: Position?

    public init(count: Int, next: Position?) {
        self.count = count
        self.next = next
    }
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
