// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How many rows may still be removed by one transaction, as far as that is known beforehand.
package struct PruningBudget: Sendable {
    /// What a notification takes without its batches: its own row, its place among the settled ones, its campaign.
    private static let notification = 4

    /// What a batch takes without its failures: its own row with its places in indices, its contents, its counts.
    private static let batch = 8

    /// How many chunks of streams are removed at once; each may have the names of 2000 lines.
    package static let chunks = 200

    /// How many old notifications are read at once to find those of which nobody noted that they are settled.
    package static let notificationsAtOnce = 1000

    private var rows: Int

    /// Brings a limit into 100...10,000: there is always room for one notification and one batch.
    package init(limit: Int) {
        self.rows = min(max(100, limit), 10_000)
    }

    /// Whether nothing more is to be removed.
    package var isSpent: Bool { self.rows <= 0 }

    /// How many notifications there may be room for.
    package var notifications: Int { self.rows / Self.notification + 1 }

    /// How many batches there may be room for; at least one.
    package var batches: Int { max(0, self.rows) / Self.batch + 1 }

    /// How many failures there is room for; at least one.
    package var failures: Int { max(1, self.rows) }

    /// A notification is removed, or is about to be.
    package mutating func spendNotification() { self.rows -= Self.notification }

    /// So many failures of a batch are removed.
    package mutating func spendFailures(_ count: Int) { self.rows -= count }

    /// A batch is removed, its failures aside.
    ///
    /// - Parameter bytes: how large its contents are; each page of these counts like a row.
    package mutating func spendBatch(bytes: Int = 0) { self.rows -= Self.batch + bytes / 4096 }
}
