// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension SQL {
    /// The columns of activities that change, and those that are needed for a change.
    static let activities: SQL = """
        \(SQL.activities(of: "apps.id")) \(SQL.orderedJoin) apps ON apps.number = activities.app
        """

    /// The columns of activities of an app; one query less for each activity than with the table of apps.
    ///
    /// In the order in which ``ActivityRow`` reads them, so that SQLite finds each at once by its name.
    fileprivate static func activities(of app: SQL) -> SQL {
        """
        SELECT activities.number, app, \(app) AS app_id, activities.id AS id, attributes_type, fixed_bytes, channel,
            relevance_score, alert, state, version, timestamp, content_state, stale_date, priority, budget,
            dismissal_date, started_at, expires_at, ended_at, joined, entries, revision, left_to_send, sent_through,
            transition_due_at
        FROM activities
        """
    }

    static func activityTypes(of app: AppID) -> SQL {
        "SELECT activity_types.*, \(app) AS app_id FROM activity_types WHERE app = \(SQL.number(of: app))"
    }

    /// The activities with the times at which something is due.
    ///
    /// PostgreSQL has the times in a table of their own, so that a change of an activity rewrites no index of them.
    static let dueActivities: SQL = "\(SQL.activities)\(SQL.timesJoin)"

    static let timesJoin: SQL = "\(postgres: " JOIN activity_due ON activity_due.activity = activities.number")"

    /// The table with the column `due_at`.
    static let activityTimes: SQL = "\(sqlite: "activities", postgres: "activity_due")"

    static let dueNumber: SQL = "\(sqlite: "activities.number", postgres: "activity_due.activity")"
}

// A transaction locks the activities that it reads, in the order of their numbers; a read locks nothing. No other code
// changes rows of a locked activity.

extension SQLExecutor {
    private var isWriting: Bool { self is SQLTransaction }

    private var activityLock: SQL {
        self.isWriting ? "\(lock: " ORDER BY activities.number FOR UPDATE OF activities")" : ""
    }

    /// The number of an app, which a transaction locks.
    func activityApp(_ id: AppID) throws -> Int64 {
        if self.isWriting { return try self.lockedNumber(of: id) }
        guard let number = try self.number(of: id) else { throw StoreError.noApp(id) }
        return number
    }

    /// The activities of these IDs; an ID without an activity is absent.
    func activityRows(_ ids: [ActivityID], app: Int64, _ appID: AppID) throws -> [ActivityRow] {
        let columns = SQL.activities(of: "\(appID)")
        return try self.map(
            "\(columns) WHERE app = \(app) AND activities.id \(each: ids)\(self.activityLock)",
            ActivityRow.init(stored:)
        )
    }

    func lockedActivityRow(_ id: ActivityID, of app: AppID) throws -> ActivityRow? {
        try self.activityRows([id], app: self.lockedNumber(of: app), app).first
    }

    func activityRows(numbers: [Int64]) throws -> [ActivityRow] {
        try self.map(
            "\(SQL.activities) WHERE activities.number \(each: numbers)\(self.activityLock)",
            ActivityRow.init(stored:)
        )
    }

    /// The activities of a query; one that cannot be read is absent, and passed to `onDamage`.
    func activityRows(_ sql: SQL, onDamage: (Int64, StoreError) throws -> Void) throws -> [ActivityRow] {
        try self.rows(sql).compactMap { row in
            try row.readable(in: "activities", onDamage: { try onDamage(row.int64("number"), $0) }) {
                try ActivityRow(stored: $0)
            }
        }
    }

    /// Activities with their instants and their columns that never change, in the order of their numbers.
    func activities(_ numbers: [Int64], of app: AppID) throws -> [Activity] {
        let rows = try self.rows(
            """
            SELECT activities.*, \(app) AS app_id FROM activities
            WHERE number \(each: numbers)\(postgres: " ORDER BY number")
            """
        )
        let instants = try self.instants(ofActivities: numbers)
        return try rows.map { try Activity(stored: $0, instants: instants[$0.int64("number")] ?? [:]) }
    }

    func activity(_ row: ActivityRow) throws -> Activity {
        guard let activity = try self.activities([row.number], of: row.appID).first else {
            throw StoreError.damaged("activity")
        }
        return activity
    }

    func instants(ofActivities numbers: [Int64]) throws -> [Int64: [InstantName: Date]] {
        let rows = try self.rows("SELECT activity, name, time FROM activity_instants WHERE activity \(each: numbers)")
        return try rows.reduce(into: [:]) { instants, row in
            let instant = try row.readable(in: "activity_instants") {
                (try $0.identifier("name", InstantName.self), try $0.date("time"))
            }
            guard let (name, time) = instant else { return }
            instants[try row.int64("activity"), default: [:]][name] = time
        }
    }

    /// All devices of activities that have few, in the order of their numbers.
    func participantRows(ofActivities numbers: [Int64]) throws -> [ParticipantRow] {
        switch self.dialect {
        case .postgres: return try self.participantRows("activity \(each: numbers) ORDER BY number")
        case .sqlite:
            // By the primary key, in whose order the devices of an activity are stored.
            let told = try SQLRows(
                "told",
                numbers.map { ParticipantRowID.range(ofActivity: $0) },
                ["first": { .integer($0.lowerBound) }, "last": { .integer($0.upperBound) }]
            )
            return try self.participantRows("number BETWEEN \(told["first"]) AND \(told["last"]) ORDER BY number")
        }
    }

    func participantRows(ofActivity number: Int64, after place: Int64, limit: Int) throws -> [ParticipantRow] {
        let range = ParticipantRowID.range(ofActivity: number)
        return try self.participantRows(
            "number > \(max(range.lowerBound, place)) AND number <= \(range.upperBound) ORDER BY number LIMIT \(limit)"
        )
    }

    func participantRows(_ installations: [DeviceID], ofActivity number: Int64) throws -> [ParticipantRow] {
        try self.participantRows("activity = \(number) AND installation \(each: installations) ORDER BY number")
    }

    func participantRows(_ condition: SQL) throws -> [ParticipantRow] {
        // In the order in which they are read, as the columns of activities.
        let columns: SQL = """
            number, state, reason, origin, installation, environment, token, token_issued_at, frequent_updates,
            sent_version, former_version, recent_pushes, joined_at, started_at, batch, position
            """
        return try self.map(
            "SELECT \(columns) FROM activity_participants WHERE \(condition)",
            ParticipantRow.init(stored:)
        )
    }

    func pushToStartTokens(
        of type: AttributesType,
        app: Int64,
        _ appID: AppID,
        _ installations: [DeviceID]
    ) throws -> [DeviceID: PushToStartToken] {
        var tokens: [DeviceID: PushToStartToken] = [:]
        try self.each(
            """
            SELECT * FROM push_to_start_tokens
            WHERE app = \(app) AND attributes_type = \(type) AND installation \(each: installations)
            """
        ) { row in
            let token = try row.readable(in: "push_to_start_tokens") { try PushToStartToken(stored: $0, app: appID) }
            if let token { tokens[token.installation] = token }
        }
        return tokens
    }

    /// The batches of these IDs, which a transaction locks; those that were removed or cannot be read are absent.
    func batchRows(_ ids: [BatchID]) throws -> [BatchID: BatchRow] {
        let lock: SQL = self.isWriting ? "\(lock: " ORDER BY id FOR UPDATE")" : ""
        let rows = try self.rows("SELECT * FROM batches WHERE id \(each: ids.map(\.value))\(lock)")
            .mapReadable(in: "batches") { try BatchRow(stored: $0) }
        return Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
    }

    func activityFailures(of batch: BatchID, in range: Range<Int>) throws -> [Int: Outcome] {
        let failures = try self.map(
            """
            SELECT * FROM batch_failures WHERE batch = \(batch.value)
                AND position >= \(range.lowerBound) AND position < \(range.upperBound)
            """
        ) { (try $0.number("position"), try Outcome(stored: $0)) }
        return Dictionary(failures) { first, _ in first }
    }
}
