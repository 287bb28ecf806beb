// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLStore
import SQLite

/// The tables of activities, within a transaction.
struct ActivitySQL: ActivityTables {
    let database: Database

    /// By whom urgent batches are taken over that are made; `nil` where they wait to be claimed.
    var handOver: TransactionHandOver?

    func number(ofApp app: AppID) throws -> Int64 { try self.database.requiredNumber(of: app) }

    func channel(_ name: ChannelName, app: Int64) throws -> BroadcastChannel? {
        try self.database.lockedChannel(name, app: app)
    }

    // MARK: Activities

    /// What changes about an activity; its attributes are left where they are.
    private static let columns = """
        SELECT activities.number, app, apps.id AS app_id, activities.id AS id, attributes_type, state, version, timestamp,
            priority, stale_date, relevance_score, dismissal_date, joined, entries, started_at, expires_at, ended_at,
            transition_due_at, left_to_send, sent_through, fixed_bytes, content_state, alert, channel, budget
        FROM activities CROSS JOIN apps ON apps.number = activities.app
        """

    func activityRows(_ ids: [ActivityID], app: Int64) throws -> [ActivityRow] {
        let statement = try self.database.cachedStatement("\(Self.columns) WHERE app = ? AND activities.id = ?")
        return try ids.flatMap { id in
            try statement.rows([app, id.rawValue], ActivityRow.init(stored:))
        }
    }

    func activityRows(numbers: [Int64]) throws -> [ActivityRow] {
        let statement = try self.database.cachedStatement("\(Self.columns) WHERE activities.number = ?")
        return try numbers.flatMap { try statement.rows([$0], ActivityRow.init(stored:)) }
    }

    func dueActivityRows(
        limit: Int,
        only activity: Int64?,
        now: Date,
        onDamage: (Int64, StoreError) throws -> Void
    ) throws -> [ActivityRow] {
        let one = activity == nil ? "" : "AND activities.number = ?"
        return try self.rows(
            "\(Self.columns) WHERE due_at <= ? \(one) ORDER BY due_at, activities.number LIMIT ?",
            [now.millisecondsSince1970] + (activity.map { [$0] } ?? []) + [limit],
            onDamage: onDamage
        )
    }

    func activityRows(
        dueAt instant: Date,
        after number: Int64,
        limit: Int
    ) throws -> (rows: [ActivityRow], last: Int64?) {
        // What cannot be read is seen to when it is due.
        var damaged: Int64?
        let rows = try self.rows(
            "\(Self.columns) WHERE due_at = ? AND activities.number > ? ORDER BY activities.number LIMIT ?",
            [instant.millisecondsSince1970, number, limit]
        ) { number, _ in damaged = number }
        return (rows, [rows.last?.number, damaged].compactMap(\.self).max())
    }

    func activityRows(overBefore time: Date, limit: Int) throws -> [ActivityRow] {
        try self.rows(
            "\(Self.columns) WHERE ended_at IS NOT NULL AND ended_at < ? ORDER BY ended_at LIMIT ?",
            [time.millisecondsSince1970, limit]
        ) { number, _ in try self.strip(number) }
    }

    func activityRowToSendOn(now: Date) throws -> ActivityRow? {
        var isDamaged = true
        while isDamaged {
            isDamaged = false
            let found = try self.rows(
                "\(Self.columns) WHERE left_to_send > 0 ORDER BY activities.number LIMIT 1",
                []
            ) { number, error in
                isDamaged = true
                try self.setAside(SetAside(number, error, now: now))
            }
            if let row = found.first { return row }
        }
        return nil
    }

    /// Reads rows; what cannot be read is absent, and `onDamage` sees to it when all are read.
    private func rows(
        _ sql: String,
        _ values: StatementArguments,
        onDamage: (Int64, StoreError) throws -> Void
    ) throws -> [ActivityRow] {
        var damages: [(number: Int64, error: StoreError)] = []
        let rows = try self.database.cachedStatement(sql).rows(values) { row -> ActivityRow? in
            try row.readable(in: "activities", onDamage: { damages.append((try row.int64("number"), $0)) }) {
                try ActivityRow(stored: $0)
            }
        }
        for damage in damages { try onDamage(damage.number, damage.error) }
        return rows.compactMap(\.self)
    }

    func activity(_ row: ActivityRow) throws -> Activity { try self.activity(row.number, of: row.appID) }

    /// An activity with all that belongs to it but its phones.
    func activity(_ number: Int64, of app: AppID) throws -> Activity {
        let row = try self.database.row(
            "SELECT activities.*, ? AS app_id FROM activities WHERE number = ?",
            [app.rawValue, number]
        )
        guard let row else { throw StoreError.damaged("activity") }
        return try Activity(stored: row, instants: self.instants(ofActivities: [number])[number] ?? [:])
    }

    func instants(ofActivities numbers: [Int64]) throws -> [Int64: [InstantName: Date]] {
        let statement = try self.database.cachedStatement(
            "SELECT name, time FROM activity_instants WHERE activity = ?"
        )
        var instants: [Int64: [InstantName: Date]] = [:]
        for number in numbers {
            let found = try statement.rows([number]) { row in
                try row.readable(in: "activity_instants") {
                    (try $0.identifier("name", InstantName.self), try $0.date("time"))
                }
            }.compactMap(\.self)
            if !found.isEmpty { instants[number] = Dictionary(found) { first, _ in first } }
        }
        return instants
    }

    func plannedTransitions(ofActivities numbers: [Int64]) throws -> [Int64: [ActivityTransition]] {
        let statement = try self.database.cachedStatement(
            "SELECT * FROM activity_transitions WHERE activity = ? AND state = 0 ORDER BY key"
        )
        var transitions: [Int64: [ActivityTransition]] = [:]
        for number in numbers {
            let found = try statement.rows([number], ActivityTransition.init(stored:))
            if !found.isEmpty { transitions[number] = found }
        }
        return transitions
    }

    // MARK: Phones

    func participantRows(ofActivities numbers: [Int64]) throws -> [ParticipantRow] {
        let statement = try self.database.cachedStatement(
            "SELECT * FROM activity_participants WHERE number BETWEEN ? AND ? ORDER BY number"
        )
        return try numbers.flatMap { number in
            let range = ParticipantNumber.range(ofActivity: number)
            return try statement.rows(
                [range.lowerBound, range.upperBound],
                ParticipantRow.init(stored:)
            )
        }
    }

    func participantRows(numbers: [Int64]) throws -> [ParticipantRow] {
        let statement = try self.database.cachedStatement(
            "SELECT * FROM activity_participants WHERE number = ?"
        )
        return try numbers.flatMap { try statement.rows([$0], ParticipantRow.init(stored:)) }
    }

    func participantRows(ofActivity number: Int64, after place: Int64, limit: Int) throws -> [ParticipantRow] {
        let range = ParticipantNumber.range(ofActivity: number)
        let statement = try self.database.cachedStatement(
            "SELECT * FROM activity_participants WHERE number > ? AND number <= ? ORDER BY number LIMIT ?"
        )
        return try statement.rows(
            [max(range.lowerBound, place), range.upperBound, limit],
            ParticipantRow.init(stored:)
        )
    }

    func participantRows(_ installations: [InstallationID], ofActivity number: Int64) throws -> [ParticipantRow] {
        let statement = try self.database.cachedStatement(
            "SELECT * FROM activity_participants WHERE activity = ? AND installation = ?"
        )
        return try installations.flatMap { installation in
            try statement.rows([number, installation.rawValue], ParticipantRow.init(stored:))
        }
    }

    func pushToStartTokens(
        of type: AttributesType,
        app: Int64,
        installations: [InstallationID]
    ) throws -> [PushToStartToken] {
        let id = try self.database.id(ofApp: app)
        let statement = try self.database.cachedStatement(
            "SELECT * FROM push_to_start_tokens WHERE app = ? AND attributes_type = ? AND installation = ?"
        )
        return try installations.flatMap { installation in
            try statement.rows([app, type.rawValue, installation.rawValue]) { row in
                try row.readable(in: "push_to_start_tokens") { try PushToStartToken(stored: $0, app: id) }
            }.compactMap(\.self)
        }
    }

    // MARK: Batches

    func batchRows(_ ids: [BatchID]) throws -> [BatchID: BatchRow] {
        var rows: [BatchID: BatchRow] = [:]
        for id in ids { rows[id] = try readable(id, in: "batches") { try self.database.batch(id) } ?? nil }
        return rows
    }

    func targetList(of batch: BatchRow) throws -> TargetList { try self.database.targets(of: batch) }

    func participants(of batch: BatchID) throws -> [Int64] {
        let row = try self.database.row(
            "SELECT participants FROM activity_batches WHERE batch = ?",
            [batch.value.stored]
        )
        return try row.map { try ParticipantList.decode($0.blob("participants")) } ?? []
    }

    func waitingPushes(on batch: BatchID, before place: Int) throws -> [WaitingPush] {
        try self.database.rows(
            "SELECT position, participant FROM activity_waiting WHERE batch = ? AND position < ? ORDER BY position",
            [batch.value.stored, place]
        ).map { row in
            WaitingPush(
                batch: batch,
                position: Int(clamping: try row.int64("position")),
                participant: try row.int64("participant")
            )
        }
    }

    // MARK: Timeline

    func timelineRows(
        ofActivity number: Int64,
        after cursor: Int,
        limit: Int
    ) throws -> Page<TimelineRow, Int> {
        let rows = try self.database.rows(
            "SELECT * FROM activity_timeline WHERE activity = ? AND sequence > ? ORDER BY sequence LIMIT ?",
            [number, cursor, limit + 1]
        )
        return try Page(timeline: rows, limit: limit)
    }

    func failures(of batch: BatchID, in range: Range<Int>) throws -> [Int: Outcome] {
        let rows = try self.database.rows(
            "SELECT * FROM batch_failures WHERE batch = ? AND position >= ? AND position < ?",
            [batch.value.stored, range.lowerBound, range.upperBound]
        )
        let failures = try rows.map { (try $0.number("position"), try Outcome(stored: $0)) }
        return Dictionary(failures) { first, _ in first }
    }
}

extension Database {
    var activities: ActivitySQL { ActivitySQL(database: self) }
}

extension ActivitySQL {
    /// Whatever is done to an activity adds to its timeline or changes one of the other numbers.
    func unchanged(_ rows: [ActivityRow]) throws -> Set<Int64> {
        let statement = try self.database.cachedStatement(
            """
            SELECT number FROM activities
            WHERE number = ? AND entries = ? AND version = ? AND state = ? AND joined = ? AND timestamp = ?
                AND left_to_send = ? AND transition_due_at IS ? AND expires_at IS ?
            """
        )
        return try self.numbers(rows) { row in
            try statement.rows([
                row.number, row.entries, row.lifecycle.version,
                row.lifecycle.state.stored, row.joined, row.lifecycle.timestamp,
                row.sendingOn?.left ?? 0, row.transitionDueAt?.millisecondsSince1970,
                row.lifecycle.expiresAt?.millisecondsSince1970,
            ]) { try $0.int64("number") }
        }
    }

    func unchanged(_ rows: [ParticipantRow]) throws -> Set<Int64> {
        let statement = try self.database.cachedStatement(
            """
            SELECT number FROM activity_participants
            WHERE number = ? AND sent_version = ? AND state = ? AND environment = ? AND origin = ? AND position = ?
                AND batch IS ? AND token IS ? AND token_issued_at IS ? AND started_at IS ? AND frequent_updates IS ?
                AND recent_pushes IS ?
            """
        )
        return try self.numbers(rows) { row in
            let phone = row.participant
            return try statement.rows([
                row.number, phone.sentVersion, phone.storedState.number,
                phone.environment.stored, phone.origin.stored, row.position,
                row.batch?.value.stored, phone.token?.bytes,
                phone.tokenIssuedAt?.millisecondsSince1970,
                phone.startedAt?.millisecondsSince1970, phone.storedFrequentUpdates,
                phone.recent.bytes,
            ]) { try $0.int64("number") }
        }
    }

    private func numbers<Row>(_ rows: [Row], _ read: (Row) throws -> [Int64]) throws -> Set<Int64> {
        var numbers = Set<Int64>(minimumCapacity: rows.count)
        for row in rows { numbers.formUnion(try read(row)) }
        return numbers
    }
}

extension ActivitySQL {
    func setAside(_ aside: SetAside) throws {
        let now = aside.time.millisecondsSince1970
        if aside.isUnreadable {
            try LeaseSQL(database: self.database).listUnreadable(activity: aside.activity, now: aside.time)
        }
        try self.database.run(
            """
            UPDATE activities SET left_to_send = 0, state = CASE WHEN expires_at <= ?1 THEN 3 ELSE state END,
                ended_at = CASE WHEN expires_at <= ?1 THEN expires_at ELSE ended_at END,
                due_at = CASE WHEN expires_at <= ?1 THEN NULL WHEN due_at <= ?1 THEN ?2 ELSE due_at END
            WHERE number = ?3
            """,
            [now, aside.until.millisecondsSince1970, aside.activity]
        )
        let last = try self.database.row(
            "SELECT sequence, kind FROM activity_timeline WHERE activity = ? ORDER BY sequence DESC LIMIT 1",
            [aside.activity]
        )
        let kind = TimelineEntry.Kind.setAside.rawValue
        if let last, try last.string("kind") == kind { return }
        var former: Int? = 0
        if let last {
            former = try last.readable(in: "activity_timeline") {
                try $0.number("sequence", in: StoredLimit.counts)
            }
        }
        guard let sequence = former.map({ $0 + 1 }) else { return }
        try self.database.run(
            """
            INSERT INTO activity_timeline (activity, sequence, time, kind, version, waiting, detail)
            SELECT number, ?, ?, ?, version, 0, ? FROM activities WHERE number = ?
            """,
            [sequence, now, kind, aside.reason, aside.activity]
        )
        try self.database.run("UPDATE activities SET entries = ? WHERE number = ?", [sequence, aside.activity])
    }

    /// Takes away what nobody needs of an activity that is over and cannot be read, so that it can be removed in its turn.
    func strip(_ number: Int64) throws {
        try self.database.run(
            """
            UPDATE activities SET content_state = NULL, alert = NULL, channel = NULL, budget = NULL, state = 3,
                version = 0, timestamp = 0, priority = 10, stale_date = NULL, relevance_score = NULL,
                dismissal_date = NULL, joined = max(1, min(joined, ?1)), entries = max(0, min(entries, ?1)),
                started_at = NULL, expires_at = NULL, ended_at = 0, left_to_send = 0, fixed_bytes = 0
            WHERE number = ?2
            """,
            [ParticipantNumber.maximum, number]
        )
    }
}
