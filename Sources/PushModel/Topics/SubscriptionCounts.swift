// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How many subscriptions a topic has.
public struct SubscriptionCounts: Hashable, Sendable {
    /// How many get what is published.
    public var confirmed: Int

    /// How many wait for their confirmation.
    public var pending: Int

    /// How many were removed one by one since the topic was made.
    public var deleted: Int

    /// Takes counts.
    public init(confirmed: Int = 0, pending: Int = 0, deleted: Int = 0) {
        self.confirmed = confirmed
        self.pending = pending
        self.deleted = deleted
    }
}
