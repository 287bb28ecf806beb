// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
import PushModel

/// A table whose rows workers lease.
///
/// Both stores have these tables and columns.
package struct LeaseTable: Sendable {
    /// The kind of work, as metrics and logs name it.
    package let kind: String

    private let table: String

    /// The column of the primary key.
    private let key: String

    /// The column of the worker that holds the lease; NULL or of no meaning without a lease.
    private let worker: String

    /// The column of the time at which the lease ends.
    private let end: String

    /// The further conditions of a leased row, which find it by an index in a large table; ends with `AND`.
    private let condition: String

    /// Whether the end of the lease tells when the row became claimable, so that it cannot be 0.
    private let measuresDelay: Bool

    private init(
        _ kind: String,
        table: String,
        key: String,
        worker: String = "worker",
        end: String = "claimable_at",
        condition: String = "",
        measuresDelay: Bool = false
    ) {
        self.kind = kind
        self.table = table
        self.key = key
        self.worker = worker
        self.end = end
        self.condition = condition
        self.measuresDelay = measuresDelay
    }

    /// Every table with leases: a new one is one entry.
    package static let all: [LeaseTable] = [
        // A batch keeps its last worker after the lease. `lane`, `kind` and `state` are the first columns of the index
        // of open batches.
        LeaseTable(
            "batch",
            table: "batches",
            key: "id",
            condition: "state = 1 AND lane IN (0, 1) AND kind IN (SELECT number FROM batch_kinds) AND"
        ),
        LeaseTable("campaign", table: "campaigns", key: "id", worker: "planner"),
        LeaseTable("rollout", table: "activity_rollouts", key: "id", worker: "planner"),
        // A run that is claimed too late is a misfire.
        LeaseTable("job_run", table: "job_runs", key: "id", measuresDelay: true),
        LeaseTable("webhook", table: "webhooks", key: "id", end: "leased_until"),
        LeaseTable(
            "topic_delivery",
            table: "topic_deliveries",
            key: "number",
            end: "due_at",
            condition: "worker IS NOT NULL AND"
        ),
        LeaseTable("endpoint_event", table: "endpoint_events", key: "number", end: "due_at"),
    ]

    /// The statement that ends the leases of a worker.
    ///
    /// Its arguments are ``newEnd(now:)`` and the ID of the worker.
    ///
    /// The leases are those of the worker itself, and of the workers whose IDs begin with its ID and `/`. `locking` is
    /// the clause that locks the rows.
    package func expiration(locking: String = "") -> String {
        """
        UPDATE \(self.table) SET \(self.end) = $1 WHERE \(self.key) IN (
            SELECT \(self.key) FROM \(self.table) WHERE \(self.condition) \(self.end) > $1
                AND (\(self.worker) = $2 OR substr(\(self.worker), 1, length($2) + 1) = $2 || '/') \(locking)
        )
        """
    }

    /// The end of an expired lease, in milliseconds since 1970: 0 is in the past on every clock.
    package func newEnd(now: Date) -> Int64 { self.measuresDelay ? now.millisecondsSince1970 : 0 }
}
