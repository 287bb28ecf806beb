// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension SQL {
    /// The columns of activities that change, and those that are needed for a change.
    fileprivate static let activities: SQL = """
        SELECT activities.number, app, apps.id AS app_id, activities.id AS id, attributes_type, state, version,
            timestamp, priority, stale_date, relevance_score, dismissal_date, joined, entries, started_at, expires_at,
            ended_at, transition_due_at, left_to_send, sent_through, fixed_bytes, content_state, alert, channel, budget
        FROM activities \(SQL.orderedJoin) apps ON apps.number = activities.app
        """

    /// The activities with the times at which something is due.
    ///
    /// PostgreSQL has the times in a table of their own, so that a change of an activity rewrites no index of them.
    fileprivate static let dueActivities: SQL = "\(SQL.activities)\(SQL.timesJoin)"

    static let timesJoin: SQL = "\(postgres: " JOIN activity_due ON activity_due.activity = activities.number")"

    /// The table with the column `due_at`.
    static let activityTimes: SQL = "\(sqlite: "activities", postgres: "activity_due")"

    static let dueNumber: SQL = "\(sqlite: "activities.number", postgres: "activity_due.activity")"
}

// A transaction locks the activities that it reads, in the order of their numbers; a read locks nothing. Nothing else
// changes what belongs to a locked activity.

extension SQLExecutor {
    private var isWriting: Bool { self is SQLTransaction }

    private var activityLock: SQL {
        self.isWriting ? "\(lock: " ORDER BY activities.number FOR UPDATE OF activities")" : ""
    }

    /// The number of an app, which a transaction locks.
    ///
    /// - Throws: ``StoreError`` `.notFound` if there is no such app.
    func activityApp(_ id: AppID) throws -> Int64 {
        if self.isWriting { return try self.lockedNumber(of: id) }
        guard let number = try self.number(of: id) else { throw StoreError.noApp(id) }
        return number
    }

    /// The activities of these IDs; an ID without an activity is absent.
    func activityRows(_ ids: [ActivityID], app: Int64) throws -> [ActivityRow] {
        try self.map(
            "\(SQL.activities) WHERE app = \(app) AND activities.id \(each: ids)\(self.activityLock)",
            ActivityRow.init(stored:)
        )
    }

    func activityRow(_ id: ActivityID, app: Int64) throws -> ActivityRow? {
        try self.activityRows([id], app: app).first
    }

    func activityRows(numbers: [Int64]) throws -> [ActivityRow] {
        try self.map(
            "\(SQL.activities) WHERE activities.number \(each: numbers)\(self.activityLock)",
            ActivityRow.init(stored:)
        )
    }

    /// Activities that are due, the earliest first; other transactions get others.
    ///
    /// One that cannot be read is absent, and passed to `onDamage`.
    func dueActivityRows(
        limit: Int,
        only activity: Int64?,
        now: Date,
        onDamage: (_ number: Int64, _ error: StoreError) throws -> Void
    ) throws -> [ActivityRow] {
        let one: SQL = if let activity { " AND \(SQL.dueNumber) = \(activity)" } else { "" }
        return try self.activityRows(
            """
            \(SQL.dueActivities) WHERE due_at <= \(now)\(one) ORDER BY due_at, \(SQL.dueNumber) LIMIT \(limit)\
            \(lock: " FOR UPDATE OF activities, activity_due SKIP LOCKED")
            """,
            onDamage: onDamage
        )
    }

    /// Activities that are due at one instant, in the order of their numbers, and the last of these numbers.
    ///
    /// Locks nothing. One that cannot be read is absent; it is set aside when it is due.
    func activityRows(
        dueAt instant: Date,
        after number: Int64,
        limit: Int
    ) throws -> (rows: [ActivityRow], last: Int64?) {
        var damaged: Int64?
        let rows = try self.activityRows(
            """
            \(SQL.dueActivities) WHERE due_at = \(instant) AND \(SQL.dueNumber) > \(number)
            ORDER BY \(SQL.dueNumber) LIMIT \(limit)
            """
        ) { number, _ in damaged = number }
        return (rows, [rows.last?.number, damaged].compactMap(\.self).max())
    }

    /// Activities that were over before a time, the earliest first.
    ///
    /// One that cannot be read loses its contents, so that the next call finds it.
    func activityRows(overBefore time: Date, limit: Int) throws -> [ActivityRow] {
        try self.activityRows(
            """
            \(SQL.activities) WHERE ended_at IS NOT NULL AND ended_at < \(time) ORDER BY ended_at LIMIT \(limit)\
            \(lock: " FOR UPDATE OF activities SKIP LOCKED")
            """
        ) { number, _ in try self.strip(number) }
    }

    /// An activity whose latest state was not sent to all devices; other transactions get others.
    ///
    /// One that cannot be read is set aside.
    func activityRowToSendOn(now: Date) throws -> ActivityRow? {
        var isDamaged = true
        while isDamaged {
            isDamaged = false
            let found = try self.activityRows(
                """
                \(SQL.activities) WHERE left_to_send > 0 ORDER BY activities.number LIMIT 1\
                \(lock: " FOR UPDATE OF activities SKIP LOCKED")
                """
            ) { number, error in
                isDamaged = true
                try self.setAside(SetAside(number, error, now: now))
            }
            if let row = found.first { return row }
        }
        return nil
    }

    private func activityRows(_ sql: SQL, onDamage: (Int64, StoreError) throws -> Void) throws -> [ActivityRow] {
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

    func plannedTransitions(ofActivities numbers: [Int64]) throws -> [Int64: [ActivityTransition]] {
        var transitions: [Int64: [ActivityTransition]] = [:]
        try self.each(
            "SELECT * FROM activity_transitions WHERE activity \(each: numbers) AND state = 0 ORDER BY key"
        ) { row in
            transitions[try row.int64("activity"), default: []].append(try ActivityTransition(stored: row))
        }
        return transitions
    }

    /// The types of these names that are registered.
    func activityTypes(_ names: [AttributesType], app: Int64) throws -> [ActivityType] {
        try self.rows(
            """
            SELECT activity_types.*, apps.id AS app_id
            FROM activity_types \(SQL.orderedJoin) apps ON apps.number = activity_types.app
            WHERE app = \(app) AND activity_types.name \(each: names)
            """
        ).map(ActivityType.init(stored:))
    }
}

// MARK: - Devices

extension SQLExecutor {
    /// All devices of activities that have few, in the order of their numbers.
    func participantRows(ofActivities numbers: [Int64]) throws -> [ParticipantRow] {
        switch self.dialect {
        case .postgres: return try self.participantRows("activity \(each: numbers) ORDER BY number")
        case .sqlite:
            // By the primary key, in whose order the devices of an activity are stored.
            let told = try SQLRows(
                "told",
                numbers.map { ParticipantNumber.range(ofActivity: $0) },
                ["first": { .integer($0.lowerBound) }, "last": { .integer($0.upperBound) }]
            )
            return try self.participantRows("number BETWEEN \(told["first"]) AND \(told["last"]) ORDER BY number")
        }
    }

    func participantRows(numbers: [Int64]) throws -> [ParticipantRow] {
        try self.participantRows("number \(each: numbers) ORDER BY number")
    }

    /// The devices of an activity after a number, in the order of their numbers.
    func participantRows(ofActivity number: Int64, after place: Int64, limit: Int) throws -> [ParticipantRow] {
        let range = ParticipantNumber.range(ofActivity: number)
        return try self.participantRows(
            "number > \(max(range.lowerBound, place)) AND number <= \(range.upperBound) ORDER BY number LIMIT \(limit)"
        )
    }

    /// The devices that take part in an activity, among these.
    func participantRows(_ installations: [InstallationID], ofActivity number: Int64) throws -> [ParticipantRow] {
        try self.participantRows("activity = \(number) AND installation \(each: installations) ORDER BY number")
    }

    private func participantRows(_ condition: SQL) throws -> [ParticipantRow] {
        try self.map("SELECT * FROM activity_participants WHERE \(condition)", ParticipantRow.init(stored:))
    }

    /// The tokens of these devices with which pushes start activities of a type.
    func pushToStartTokens(
        of type: AttributesType,
        app: Int64,
        appID: AppID,
        installations: [InstallationID]
    ) throws -> [PushToStartToken] {
        try self.map(
            """
            SELECT * FROM push_to_start_tokens
            WHERE app = \(app) AND attributes_type = \(type) AND installation \(each: installations)
            """
        ) { row in
            try row.readable(in: "push_to_start_tokens") { try PushToStartToken(stored: $0, app: appID) }
        }.compactMap(\.self)
    }
}

// MARK: - Batches

extension SQLExecutor {
    /// The batches of these IDs, which a transaction locks; those that were removed or cannot be read are absent.
    func batchRows(_ ids: [BatchID]) throws -> [BatchID: BatchRow] {
        let lock: SQL = self.isWriting ? "\(lock: " ORDER BY id FOR UPDATE")" : ""
        let rows = try self.rows("SELECT * FROM batches WHERE id \(each: ids.map(\.value))\(lock)")
            .mapReadable(in: "batches") { try BatchRow(stored: $0) }
        return Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
    }

    /// The numbers of the devices to which a batch is sent, by their positions; empty if they are unknown.
    func participants(of batch: BatchID) throws -> [Int64] {
        let row = try self.first("SELECT participants FROM activity_batches WHERE batch = \(batch.value)")
        return try row.map { try ParticipantList.decode($0.blob("participants")) } ?? []
    }

    /// The devices that wait for the outcome of a target before a position of a batch, by their positions.
    func waitingPushes(on batch: BatchID, before position: Int) throws -> [WaitingPush] {
        try self.rows(
            """
            SELECT position, participant FROM activity_waiting
            WHERE batch = \(batch.value) AND position < \(position) ORDER BY position
            """
        ).map { row in
            let position = Int(clamping: try row.int64("position"))
            return WaitingPush(batch: batch, position: position, participant: try row.int64("participant"))
        }
    }

    /// The outcomes of the targets of a batch that failed.
    func activityFailures(of batch: BatchID, in range: Range<Int>) throws -> [Int: Outcome] {
        let rows = try self.rows(
            """
            SELECT * FROM batch_failures WHERE batch = \(batch.value)
                AND position >= \(range.lowerBound) AND position < \(range.upperBound)
            """
        )
        let failures = try rows.map { (try $0.number("position"), try Outcome(stored: $0)) }
        return Dictionary(failures) { first, _ in first }
    }
}
