// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
package import PushModel
import PushStore

/// A table whose rows workers lease.
package struct LeaseTable: Sendable {
    private enum Key {
        case id
        case text
        case number
    }

    package let kind: WorkKind
    private let table: SQL
    private var keyType = Key.id
    private var key: SQL { self.keyType == .number ? "number" : "id" }

    /// The column of the worker that holds the lease; NULL or of no meaning without a lease.
    private var worker: SQL = "worker"
    private var end: SQL = "claimable_at"
    private var app: SQL = "app"

    /// A text that changes whenever a worker has stored some progress.
    private let progress: SQL

    /// The end of the lease, after conditions that find the leased rows of any worker by an index in a large table.
    private var indexedEnd: SQL?

    /// Whether a claim counts the interruptions of a row, in a separate column.
    private(set) var countsInterruptions = false

    /// Whether the end of the lease shows when the row became claimable, so that it cannot be 0.
    private var measuresDelay = false

    /// Every table with leases: a new one is one entry.
    package static let all: [LeaseTable] = [
        // A batch keeps its last worker after the lease. `lane`, `kind` and `state` are the first columns of the index
        // of open batches.
        LeaseTable(
            kind: .batch,
            table: "batches",
            progress: "CAST(next_target AS text)",
            indexedEnd: "state = 1 AND lane IN (0, 1) AND kind IN (SELECT number FROM batch_kinds) AND claimable_at",
            countsInterruptions: true
        ),
        LeaseTable(kind: .campaign, table: "campaigns", worker: "planner", progress: "CAST(plan AS text)"),
        LeaseTable(
            kind: .rollout,
            table: "activity_rollouts",
            worker: "planner",
            app: "(SELECT app FROM activities WHERE number = activity)",
            progress: "CAST(progress AS text)"
        ),
        // A run that is claimed too late is a misfire.
        LeaseTable(
            kind: .jobRun,
            table: "job_runs",
            app: "(SELECT app FROM jobs WHERE number = job)",
            progress: "CAST(place AS text)",
            measuresDelay: true
        ),
        LeaseTable(
            kind: .webhook,
            table: "webhooks",
            keyType: .text,
            end: "leased_until",
            progress: "CAST(event AS text)"
        ),
        // The sign keeps SQLite from the index of all deliveries that wait.
        LeaseTable(
            kind: .topicDelivery,
            table: "topic_deliveries",
            keyType: .number,
            end: "due_at",
            app: "CAST(NULL AS bigint)",
            progress: "CAST(attempts AS text)",
            indexedEnd: "worker IS NOT NULL AND +due_at"
        ),
        LeaseTable(
            kind: .endpointEvent,
            table: "endpoint_events",
            keyType: .number,
            end: "due_at",
            progress: "CAST(NULL AS text)"
        ),
    ]

    static func of(_ kind: WorkKind) -> LeaseTable? { self.all.first { $0.kind == kind } }

    /// The key of a row with the column `id`, as a text.
    func key(of row: StoredRow) throws -> String {
        switch self.keyType {
        case .id: try row.apnsID("id").description
        case .text: try row.string("id")
        case .number: String(try row.int64("id"))
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

    /// The rows that a worker, or one whose ID begins with its ID and `/`, leases beyond a time.
    private func isLeased(by worker: WorkerID, beyond time: Int64) -> SQL {
        """
        \(self.indexedEnd ?? self.end) > \(time)
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

    /// Finds an item that waits to be tried and that a worker leases beyond a time: any worker if `worker` is `nil`.
    func leasedSuspect(by worker: WorkerID? = nil, beyond time: Int64) -> SQL {
        let end = self.indexedEnd ?? self.end
        return """
            SELECT 1 FROM \(self.table) WHERE \
            \(worker.map { self.isLeased(by: $0, beyond: time) } ?? "\(end) > \(time)")
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

    /// The end of an expired lease, in milliseconds since 1970: 0 is in the past on every clock.
    func newEnd(now: Date) -> Int64 { self.measuresDelay ? now.millisecondsSince1970 : 0 }

    /// The end of a lease that never expires: the year 9999, in milliseconds since 1970.
    static let never: Int64 = 253_402_214_400_000
}
