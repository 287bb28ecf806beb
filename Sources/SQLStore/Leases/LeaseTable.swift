// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
package import PushModel
import PushStore

/// A table whose rows workers lease.
package struct LeaseTable: Sendable {
    /// The type of a primary key.
    private enum Key {
        case id
        case text
        case number
    }

    package let kind: WorkKind

    /// Whether a claim counts the interruptions of a row, in a column of its own.
    let countsInterruptions: Bool

    private let table: SQL

    /// The column of the primary key, and its type.
    private let key: SQL
    private let keyType: Key

    /// The column of the worker that holds the lease; NULL or of no meaning without a lease.
    private let worker: SQL

    /// The column of the time at which the lease ends.
    private let end: SQL

    /// The number of the app to which a row belongs.
    private let app: SQL

    /// A text that changes whenever a worker has stored some progress.
    private let progress: SQL

    /// The end of the lease, after conditions that find the leased rows of any worker by an index in a large table.
    private let indexedEnd: SQL

    /// Whether the end of the lease tells when the row became claimable, so that it cannot be 0.
    private let measuresDelay: Bool

    private init(
        _ kind: WorkKind,
        table: SQL,
        key: SQL,
        _ keyType: Key,
        worker: SQL = "worker",
        end: SQL = "claimable_at",
        app: SQL = "app",
        progress: SQL,
        indexedEnd: SQL? = nil,
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
        self.indexedEnd = indexedEnd ?? end
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
            indexedEnd: "state = 1 AND lane IN (0, 1) AND kind IN (SELECT number FROM batch_kinds) AND claimable_at",
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
            indexedEnd: "worker IS NOT NULL AND +due_at"
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

    static func of(_ kind: WorkKind) -> LeaseTable? { self.all.first { $0.kind == kind } }

    // MARK: Keys

    /// The key of a row with the column `id`, as a text.
    func key(of row: SQLRow) throws -> String {
        switch self.keyType {
        case .id:
            guard let id = APNsID(stored: try row.blob("id")) else { throw StoreError.damaged("id") }
            return id.description
        case .text: return try row.string("id")
        case .number: return String(try row.int64("id"))
        }
    }

    /// The value of a key that ``key(of:)`` returned; `nil` if the text is none.
    func value(of key: String) -> SQLValue? {
        switch self.keyType {
        case .id: APNsID(canonical: key).map { .id($0) }
        case .text: .text(key)
        case .number: Int64(key).map { .integer($0) }
        }
    }

    // MARK: Statements

    /// The condition of the rows that a worker leases beyond a time.
    ///
    /// The leases are those of the worker itself, and of the workers whose IDs begin with its ID and `/`.
    private func isLeased(by worker: WorkerID, beyond time: Int64) -> SQL {
        """
        \(self.indexedEnd) > \(time)
            AND (\(self.worker) = \(worker) OR substr(\(self.worker), 1, length(\(worker)) + 1) = \(worker) || '/')
        """
    }

    /// Finds what a worker leases: `id`, `app` and `progress`.
    func leased(by worker: WorkerID) -> SQL {
        """
        SELECT \(self.key) AS id, \(self.app) AS app, \(self.progress) AS progress FROM \(self.table)
        WHERE \(self.isLeased(by: worker, beyond: 0))\(lock: " FOR UPDATE SKIP LOCKED")
        """
    }

    /// Ends all leases of a worker.
    func expiration(of worker: WorkerID, now: Date) -> SQL {
        let end = self.newEnd(now: now)
        return """
            UPDATE \(self.table) SET \(self.end) = \(end) WHERE \(self.key) IN (
                SELECT \(self.key) FROM \(self.table)
                WHERE \(self.isLeased(by: worker, beyond: end))\(lock: " FOR UPDATE SKIP LOCKED")
            )
            """
    }

    /// Finds an item that waits to be tried and that a worker leases.
    func leasedSuspect(by worker: WorkerID) -> SQL {
        """
        SELECT 1 FROM \(self.table) WHERE \(self.isLeased(by: worker, beyond: 0))
            AND interrupted >= \(Interruptions.maximum - 1) LIMIT 1
        """
    }

    /// Makes a row claimable from a time on.
    func release(_ key: SQLValue, at time: Int64) -> SQL {
        "UPDATE \(self.table) SET \(self.end) = \(time), \(self.worker) = NULL WHERE \(self.key) = \(key)"
    }

    /// Changes the time from which a row is claimable, if it still is `time`.
    func reschedule(_ key: SQLValue, from time: Int64, to newTime: Int64) -> SQL {
        "\(self.release(key, at: newTime)) AND \(self.end) = \(time)"
    }

    /// Reads the state of a row: `worker`, `claimable_at` and `progress`.
    func state(_ key: SQLValue) -> SQL {
        """
        SELECT \(self.worker) AS worker, \(self.end) AS claimable_at, \(self.progress) AS progress FROM \(self.table)
        WHERE \(self.key) = \(key)
        """
    }

    func removal(_ key: SQLValue) -> SQL { "DELETE FROM \(self.table) WHERE \(self.key) = \(key)" }

    /// The end of an expired lease, in milliseconds since 1970: 0 is in the past on every clock.
    func newEnd(now: Date) -> Int64 { self.measuresDelay ? now.millisecondsSince1970 : 0 }

    /// The end of a lease that no worker may take over: the year 9999, in milliseconds since 1970.
    static let never: Int64 = 253_402_214_400_000
}
