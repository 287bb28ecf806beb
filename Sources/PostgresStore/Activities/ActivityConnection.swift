// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// The tables of activities, within a transaction of a connection.
///
/// What others wait for is kept to the end: which notifications count off batches, and the events. Used only by the thread
/// of its connection.
final class ActivityConnection: ActivityTables {
    let connection: PostgresConnection
    var news = FeedNews()
    var ends = BatchEnds()

    /// The notifications to which no more batches are added.
    var closed: [NotificationID] = []

    /// Whether nothing is changed, so that nobody else need wait.
    private let isReading: Bool

    init(_ connection: PostgresConnection, isReading: Bool = false) {
        self.connection = connection
        self.isReading = isReading
    }

    /// Ends the transaction.
    ///
    /// - Returns: what subscribers are told beside what the tables told.
    func finish(now: Date) throws -> [StoreChange] {
        let closed = try self.closed.map { try self.connection.close($0) }
        let settled = try self.connection.count(off: self.ends) + closed
        try self.connection.tell(of: settled, now: now, in: &self.news)
        return try settled.changes + self.connection.commit(self.news)
    }

    func number(ofApp app: AppID) throws -> Int64 { try self.connection.lockedNumber(of: app) }

    // MARK: Activities

    /// What changes about an activity; its attributes are left where they are.
    private static let columns = """
        SELECT activities.number, app, apps.id AS app_id, activities.id AS id, attributes_type, state, version, timestamp,
            priority, stale_date, relevance_score, dismissal_date, joined, entries, started_at, expires_at, ended_at,
            transition_due_at, left_to_send, sent_through, fixed_bytes, content_state, alert, channel, budget
        FROM activities JOIN apps ON apps.number = activities.app
        """

    /// Rows are locked in the order of their numbers.
    private static let locked = "ORDER BY activities.number FOR UPDATE OF activities"

    func activityRows(_ ids: [ActivityID], app: Int64) throws -> [ActivityRow] {
        try self.rows(
            "\(Self.columns) WHERE app = $1 AND activities.id = ANY($2::text[]) \(Self.locked)",
            [.integer(app), .texts(ids.map(\.rawValue))]
        )
    }

    func activityRows(numbers: [Int64]) throws -> [ActivityRow] {
        try self.rows(
            "\(Self.columns) WHERE activities.number = ANY($1::bigint[]) \(Self.locked)",
            [.integers(numbers)]
        )
    }

    func dueActivityRows(
        limit: Int,
        only activity: Int64?,
        now: Date,
        onDamage: (Int64, StoreError) throws -> Void
    ) throws -> [ActivityRow] {
        let one = activity == nil ? "" : "AND activity_due.activity = $3"
        return try self.rows(
            """
            \(Self.columns) JOIN activity_due ON activity_due.activity = activities.number
            WHERE due_at <= $1 \(one) ORDER BY due_at, activity_due.activity LIMIT $2
            FOR UPDATE OF activities, activity_due SKIP LOCKED
            """,
            [.integer(now.millisecondsSince1970), .number(limit)] + (activity.map { [.integer($0)] } ?? []),
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
            """
            \(Self.columns) JOIN activity_due ON activity_due.activity = activities.number
            WHERE due_at = $1 AND activity_due.activity > $2 ORDER BY activity_due.activity LIMIT $3
            """,
            [.integer(instant.millisecondsSince1970), .integer(number), .number(limit)]
        ) { number, _ in damaged = number }
        return (rows, [rows.last?.number, damaged].compactMap(\.self).max())
    }

    func activityRows(overBefore time: Date, limit: Int) throws -> [ActivityRow] {
        try self.rows(
            """
            \(Self.columns) WHERE ended_at IS NOT NULL AND ended_at < $1 ORDER BY ended_at LIMIT $2
            FOR UPDATE OF activities SKIP LOCKED
            """,
            [.integer(time.millisecondsSince1970), .number(limit)]
        ) { number, _ in try self.strip(number) }
    }

    func activityRowToSendOn(now: Date) throws -> ActivityRow? {
        var isDamaged = true
        while isDamaged {
            isDamaged = false
            let found = try self.rows(
                """
                \(Self.columns) WHERE left_to_send > 0 ORDER BY activities.number LIMIT 1
                FOR UPDATE OF activities SKIP LOCKED
                """,
                []
            ) { number, error in
                isDamaged = true
                try self.setAside(SetAside(number, error, now: now))
            }
            if let row = found.first { return row }
        }
        return nil
    }

    private func rows(_ sql: String, _ values: [PostgresValue]) throws -> [ActivityRow] {
        try self.connection.rows(sql, values).map(ActivityRow.init(stored:))
    }

    /// Reads rows; what cannot be read is absent, and `onDamage` sees to it.
    private func rows(
        _ sql: String,
        _ values: [PostgresValue],
        onDamage: (Int64, StoreError) throws -> Void
    ) throws -> [ActivityRow] {
        try self.connection.rows(sql, values).compactMap { row in
            try row.readable(in: "activities", onDamage: { try onDamage(row.int64("number"), $0) }) {
                try ActivityRow(stored: $0)
            }
        }
    }

    func activity(_ row: ActivityRow) throws -> Activity {
        guard let activity = try self.connection.activities([row.number], of: row.appID).first else {
            throw StoreError.damaged("activity")
        }
        return activity
    }

    func instants(ofActivities numbers: [Int64]) throws -> [Int64: [InstantName: Date]] {
        try self.connection.instants(ofActivities: numbers)
    }

    func plannedTransitions(ofActivities numbers: [Int64]) throws -> [Int64: [ActivityTransition]] {
        let rows = try self.connection.rows(
            "SELECT * FROM activity_transitions WHERE activity = ANY($1::bigint[]) AND state = 0 ORDER BY key",
            [.integers(numbers)]
        )
        return try rows.reduce(into: [:]) { transitions, row in
            transitions[try row.int64("activity"), default: []].append(try ActivityTransition(stored: row))
        }
    }

    // MARK: Phones

    func participantRows(ofActivities numbers: [Int64]) throws -> [ParticipantRow] {
        try self.participants(
            "SELECT * FROM activity_participants WHERE activity = ANY($1::bigint[]) ORDER BY number",
            [.integers(numbers)]
        )
    }

    func participantRows(numbers: [Int64]) throws -> [ParticipantRow] {
        try self.participants(
            "SELECT * FROM activity_participants WHERE number = ANY($1::bigint[]) ORDER BY number",
            [.integers(numbers)]
        )
    }

    func participantRows(ofActivity number: Int64, after place: Int64, limit: Int) throws -> [ParticipantRow] {
        try self.connection.participantRows(ofActivity: number, after: place, limit: limit)
    }

    func participantRows(_ installations: [InstallationID], ofActivity number: Int64) throws -> [ParticipantRow] {
        try self.participants(
            "SELECT * FROM activity_participants WHERE activity = $1 AND installation = ANY($2::text[]) ORDER BY number",
            [.integer(number), .texts(installations.map(\.rawValue))]
        )
    }

    private func participants(_ sql: String, _ values: [PostgresValue]) throws -> [ParticipantRow] {
        try self.connection.rows(sql, values).map(ParticipantRow.init(stored:))
    }

    func pushToStartTokens(
        of type: AttributesType,
        app: Int64,
        installations: [InstallationID]
    ) throws -> [PushToStartToken] {
        try self.connection.pushToStartTokens(of: type, app: app, installations: installations)
    }

    // MARK: Batches

    /// What a batch came to is not added to before the transaction ends.
    func batchRows(_ ids: [BatchID]) throws -> [BatchID: BatchRow] {
        if ids.isEmpty { return [:] }
        let rows = try self.connection.rows(
            "SELECT * FROM batches WHERE id = ANY($1::uuid[]) ORDER BY id \(self.isReading ? "" : "FOR UPDATE")",
            [.ids(ids.map(\.value))]
        ).mapReadable(in: "batches") { try BatchRow(stored: $0) }
        return Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
    }

    func targetList(of batch: BatchRow) throws -> TargetList {
        let lists = try self.connection.targets(ofBatches: [batch.id.value.stored])
        guard let list = lists[batch.id.value.stored] else { throw StoreError.damaged("targets of a batch") }
        return list
    }

    func participants(of batch: BatchID) throws -> [Int64] {
        let row = try self.connection.row(
            "SELECT participants FROM activity_batches WHERE batch = $1",
            [.id(batch.value)]
        )
        return try row.map { try ParticipantList.decode($0.blob("participants")) } ?? []
    }

    func waitingPushes(on batch: BatchID, before place: Int) throws -> [WaitingPush] {
        try self.connection.rows(
            "SELECT position, participant FROM activity_waiting WHERE batch = $1 AND position < $2 ORDER BY position",
            [.id(batch.value), .number(place)]
        ).map { row in
            let participant = try row.int64("participant")
            let position = Int(clamping: try row.int64("position"))
            return WaitingPush(batch: batch, position: position, participant: participant)
        }
    }

    // MARK: Timeline

    func timelineRows(
        ofActivity number: Int64,
        after cursor: Int,
        limit: Int
    ) throws -> Page<TimelineRow, Int> {
        let rows = try self.connection.rows(
            "SELECT * FROM activity_timeline WHERE activity = $1 AND sequence > $2 ORDER BY sequence LIMIT $3",
            [.integer(number), .number(cursor), .number(limit + 1)]
        )
        return try Page(timeline: rows, limit: limit)
    }

    func failures(of batch: BatchID, in range: Range<Int>) throws -> [Int: Outcome] {
        let rows = try self.connection.rows(
            "SELECT * FROM batch_failures WHERE batch = $1 AND position >= $2 AND position < $3",
            [.id(batch.value), .number(range.lowerBound), .number(range.upperBound)]
        )
        let failures = try rows.map { (try $0.number("position"), try Outcome(stored: $0)) }
        return Dictionary(failures) { first, _ in first }
    }
}

extension ActivityConnection {
    /// Whatever is done to an activity adds to its timeline or changes one of the other numbers.
    func unchanged(_ rows: [ActivityRow]) throws -> Set<Int64> {
        let found = try self.connection.rows(
            """
            SELECT activities.number FROM activities
            JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
                    $7::bigint[], $8::bigint[], $9::bigint[])
                AS told (number, entries, version, state, joined, timestamp, left_to_send, transition_due_at, expires_at)
                ON activities.number = told.number
            WHERE activities.entries = told.entries AND activities.version = told.version
                AND activities.state = told.state AND activities.joined = told.joined
                AND activities.timestamp = told.timestamp AND activities.left_to_send = told.left_to_send
                AND activities.transition_due_at IS NOT DISTINCT FROM told.transition_due_at
                AND activities.expires_at IS NOT DISTINCT FROM told.expires_at
            ORDER BY activities.number FOR UPDATE OF activities SKIP LOCKED
            """,
            [
                .integers(rows.map(\.number)), .integers(rows.map { Int64($0.entries) }),
                .integers(rows.map { Int64($0.lifecycle.version) }),
                .integers(rows.map { Int64($0.lifecycle.state.stored) }), .integers(rows.map { Int64($0.joined) }),
                .integers(rows.map(\.lifecycle.timestamp)), .integers(rows.map { Int64($0.sendingOn?.left ?? 0) }),
                .integers(rows.map { $0.transitionDueAt?.millisecondsSince1970 }),
                .integers(rows.map { $0.lifecycle.expiresAt?.millisecondsSince1970 }),
            ]
        )
        return Set(try found.map { try $0.int64("number") })
    }

    func unchanged(_ rows: [ParticipantRow]) throws -> Set<Int64> {
        func integers(_ read: (ActivityParticipant) -> Int?) -> PostgresValue {
            .integers(rows.map { read($0.participant).map(Int64.init) })
        }
        let found = try self.connection.rows(
            """
            SELECT phones.number FROM activity_participants AS phones
            JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::uuid[],
                    $8::bytea[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bytea[])
                AS told (number, sent_version, state, environment, origin, position, batch, token, token_issued_at,
                    started_at, frequent_updates, recent_pushes)
                ON phones.number = told.number
            WHERE phones.sent_version = told.sent_version AND phones.state = told.state
                AND phones.environment = told.environment AND phones.origin = told.origin
                AND phones.position = told.position AND phones.batch IS NOT DISTINCT FROM told.batch
                AND phones.token IS NOT DISTINCT FROM told.token
                AND phones.token_issued_at IS NOT DISTINCT FROM told.token_issued_at
                AND phones.started_at IS NOT DISTINCT FROM told.started_at
                AND phones.frequent_updates IS NOT DISTINCT FROM told.frequent_updates
                AND phones.recent_pushes IS NOT DISTINCT FROM told.recent_pushes
            """,
            [
                .integers(rows.map(\.number)), integers(\.sentVersion), integers(\.storedState.number),
                integers(\.environment.stored), integers(\.origin.stored), .integers(rows.map { Int64($0.position) }),
                .ids(rows.map { $0.batch?.value }), .byteStrings(rows.map { $0.participant.token?.bytes }),
                .integers(rows.map { $0.participant.tokenIssuedAt?.millisecondsSince1970 }),
                .integers(rows.map { $0.participant.startedAt?.millisecondsSince1970 }),
                integers(\.storedFrequentUpdates), .byteStrings(rows.map(\.participant.recent.bytes)),
            ]
        )
        return Set(try found.map { try $0.int64("number") })
    }
}

extension ActivityConnection {
    func setAside(_ aside: SetAside) throws {
        let now = aside.time.millisecondsSince1970
        if aside.isUnreadable {
            try LeaseSession(connection: self.connection).listUnreadable(activity: aside.activity, now: aside.time)
        }
        try self.connection.queue(
            """
            DELETE FROM activity_due USING activities
            WHERE activity = $1 AND activities.number = activity AND expires_at <= $2
            """,
            [.integer(aside.activity), .integer(now)]
        )
        try self.connection.queue(
            "UPDATE activity_due SET due_at = $1 WHERE activity = $2 AND due_at <= $3",
            [.integer(aside.until.millisecondsSince1970), .integer(aside.activity), .integer(now)]
        )
        try self.connection.queue(
            """
            UPDATE activities SET left_to_send = 0, state = CASE WHEN expires_at <= $1 THEN 3 ELSE state END,
                ended_at = CASE WHEN expires_at <= $1 THEN expires_at ELSE ended_at END
            WHERE number = $2
            """,
            [.integer(now), .integer(aside.activity)]
        )
        let last = try self.connection.row(
            "SELECT sequence, kind FROM activity_timeline WHERE activity = $1 ORDER BY sequence DESC LIMIT 1",
            [.integer(aside.activity)]
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
        try self.connection.queue(
            """
            INSERT INTO activity_timeline (activity, sequence, time, kind, version, waiting, detail)
            SELECT number, $1::bigint, $2::bigint, $3::text, version, 0, $4::text FROM activities WHERE number = $5
            """,
            [.number(sequence), .integer(now), .text(kind), .text(aside.reason), .integer(aside.activity)]
        )
        try self.connection.queue(
            "UPDATE activities SET entries = $1 WHERE number = $2",
            [.number(sequence), .integer(aside.activity)]
        )
    }

    /// Takes away what nobody needs of an activity that is over and cannot be read, so that it can be removed in its turn.
    func strip(_ number: Int64) throws {
        try self.connection.queue(
            """
            UPDATE activities SET content_state = NULL, alert = NULL, channel = NULL, budget = NULL, state = 3,
                version = 0, timestamp = 0, priority = 10, stale_date = NULL, relevance_score = NULL,
                dismissal_date = NULL, joined = greatest(1, least(joined, $1::bigint)),
                entries = greatest(0, least(entries, $1::bigint)), started_at = NULL, expires_at = NULL, ended_at = 0,
                left_to_send = 0, fixed_bytes = 0
            WHERE number = $2
            """,
            [.number(ParticipantNumber.maximum), .integer(number)]
        )
    }
}
