// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import Foundation
package import PushModel

/// A table whose rows workers lease.
///
/// Both stores have these tables and columns.
package struct LeaseTable: Sendable {
    /// The type of a primary key.
    private enum Key {
        case id
        case text
        case number
    }

    package let kind: WorkKind

    /// Whether a claim counts the interruptions of a row, in a column of its own.
    package let countsInterruptions: Bool

    private let table: String

    /// The column of the primary key, and its type.
    private let key: String
    private let keyType: Key

    /// The column of the worker that holds the lease; NULL or of no meaning without a lease.
    private let worker: String

    /// The column of the time at which the lease ends.
    private let end: String

    /// The number of the app to which a row belongs, as an SQL expression.
    private let app: String

    /// What changes whenever a worker has stored some progress, as an SQL expression of type text.
    private let progress: String

    /// The condition of a leased row of any worker, which finds it by an index in a large table.
    private let condition: String

    /// Whether the end of the lease tells when the row became claimable, so that it cannot be 0.
    private let measuresDelay: Bool

    private init(
        _ kind: WorkKind,
        table: String,
        key: String,
        _ keyType: Key,
        worker: String = "worker",
        end: String = "claimable_at",
        app: String = "app",
        progress: String,
        condition: String? = nil,
        countsInterruptions: Bool = false,
        measuresDelay: Bool = false
    ) {
        self.kind = kind
        self.countsInterruptions = countsInterruptions
        self.table = table
        self.key = key
        self.keyType = keyType
        self.worker = worker
        self.end = end
        self.app = app
        self.progress = progress
        self.condition = condition ?? "\(end) > $1"
        self.measuresDelay = measuresDelay
    }

    /// Every table with leases: a new one is one entry.
    package static let all: [LeaseTable] = [
        // A batch keeps its last worker after the lease. `lane`, `kind` and `state` are the first columns of the index
        // of open batches.
        LeaseTable(
            .batch,
            table: "batches",
            key: "id",
            .id,
            progress: "CAST(next_target AS text)",
            condition: """
                state = 1 AND lane IN (0, 1) AND kind IN (SELECT number FROM batch_kinds) AND claimable_at > $1
                """,
            countsInterruptions: true
        ),
        LeaseTable(.campaign, table: "campaigns", key: "id", .id, worker: "planner", progress: "CAST(plan AS text)"),
        LeaseTable(
            .rollout,
            table: "activity_rollouts",
            key: "id",
            .id,
            worker: "planner",
            app: "(SELECT app FROM activities WHERE number = activity)",
            progress: "CAST(progress AS text)"
        ),
        // A run that is claimed too late is a misfire.
        LeaseTable(
            .jobRun,
            table: "job_runs",
            key: "id",
            .id,
            app: "(SELECT app FROM jobs WHERE number = job)",
            progress: "CAST(place AS text)",
            measuresDelay: true
        ),
        LeaseTable(
            .webhook,
            table: "webhooks",
            key: "id",
            .text,
            end: "leased_until",
            progress: "CAST(event AS text)"
        ),
        // The sign keeps SQLite from the index of all deliveries that wait.
        LeaseTable(
            .topicDelivery,
            table: "topic_deliveries",
            key: "number",
            .number,
            end: "due_at",
            app: "CAST(NULL AS bigint)",
            progress: "CAST(attempts AS text)",
            condition: "worker IS NOT NULL AND +due_at > $1"
        ),
        LeaseTable(
            .endpointEvent,
            table: "endpoint_events",
            key: "number",
            .number,
            end: "due_at",
            progress: "CAST(NULL AS text)"
        ),
    ]

    package static func of(_ kind: WorkKind) -> LeaseTable? { self.all.first { $0.kind == kind } }

    // MARK: Keys

    /// The key of a row with the column `id`, as a text.
    package func key(of row: some StoredRow) throws -> String {
        switch self.keyType {
        case .id:
            guard let id = APNsID(stored: try row.blob("id")) else { throw StoreError.damaged("id") }
            return id.description
        case .text: return try row.string("id")
        case .number: return String(try row.int64("id"))
        }
    }

    /// The value of a key that ``key(of:)`` returned; `nil` if the text is none.
    package func value(of key: String) -> LeaseValue? {
        switch self.keyType {
        case .id: APNsID(canonical: key).map { .id($0) }
        case .text: .text(key)
        case .number: Int64(key).map { .integer($0) }
        }
    }

    // MARK: Statements

    /// The condition of the rows that a worker leases; its values are ``newEnd(now:)`` and the ID of the worker.
    ///
    /// The leases are those of the worker itself, and of the workers whose IDs begin with its ID and `/`.
    private var isLeased: String {
        "\(self.condition) AND (\(self.worker) = $2 OR substr(\(self.worker), 1, length($2) + 1) = $2 || '/')"
    }

    /// Finds what a worker leases: `id`, `app` and `progress`; its values are ``newEnd(now:)`` and the ID of the worker.
    package func leased(locking: String) -> String {
        """
        SELECT \(self.key) AS id, \(self.app) AS app, \(self.progress) AS progress FROM \(self.table)
        WHERE \(self.isLeased) \(locking)
        """
    }

    /// Ends all leases of a worker; its values are ``newEnd(now:)`` and the ID of the worker.
    package func expiration(locking: String) -> String {
        """
        UPDATE \(self.table) SET \(self.end) = $1
        WHERE \(self.key) IN (SELECT \(self.key) FROM \(self.table) WHERE \(self.isLeased) \(locking))
        """
    }

    /// Makes a row claimable from a time on; its values are the time and the key.
    package var release: String {
        "UPDATE \(self.table) SET \(self.end) = $1, \(self.worker) = NULL WHERE \(self.key) = $2"
    }

    /// Changes the time from which a row is claimable; its values are the new time, the key and the former time.
    package var reschedule: String { "\(self.release) AND \(self.end) = $3" }

    /// Whether a worker leases an item that waits to be tried; its values are those of ``leased(locking:)``.
    package var leasedSuspect: String {
        "SELECT 1 FROM \(self.table) WHERE \(self.isLeased) AND interrupted >= \(Interruptions.maximum - 1) LIMIT 1"
    }

    /// The state of a row: `worker`, `claimable_at` and `progress`; its value is the key.
    package var state: String {
        """
        SELECT \(self.worker) AS worker, \(self.end) AS claimable_at, \(self.progress) AS progress FROM \(self.table)
        WHERE \(self.key) = $1
        """
    }

    /// Removes a row; its value is the key.
    package var removal: String { "DELETE FROM \(self.table) WHERE \(self.key) = $1" }

    /// The end of an expired lease, in milliseconds since 1970: 0 is in the past on every clock.
    package func newEnd(now: Date) -> Int64 { self.measuresDelay ? now.millisecondsSince1970 : 0 }

    /// The end of a lease that no worker may take over: the year 9999, in milliseconds since 1970.
    package static let never: Int64 = 253_402_214_400_000
}

/// A value that a statement about leases binds.
package enum LeaseValue: Sendable {
    case id(APNsID)
    case text(String?)
    case integer(Int64?)
}
