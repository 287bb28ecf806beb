// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLStore

extension ActivityConnection {
    func insert(_ activity: Activity, app: Int64) throws -> ActivityRow? {
        let lifecycle = activity.lifecycle
        let inserted = try self.connection.row(
            """
            INSERT INTO activities (app, id, attributes_type, state, version, timestamp, priority, joined, entries,
                created_at, left_to_send, sent_through, fixed_bytes, stale_date, relevance_score, content_state,
                start_alert, attributes, channel, channel_name, started_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 0, $8, 0, 0, $9, $10, $11, $12, $13, $14, $15, $16, $17)
            ON CONFLICT (app, id) DO NOTHING RETURNING number
            """,
            [
                .integer(app), .text(activity.id.rawValue), .text(activity.attributesType.rawValue),
                .number(lifecycle.state.stored), .number(lifecycle.version), .integer(lifecycle.timestamp),
                .number(lifecycle.priority.rawValue), .integer(activity.createdAt.millisecondsSince1970),
                .number(activity.fixedBytes), .integer(lifecycle.staleDate), .integer(lifecycle.storedRelevance),
                .bytes(lifecycle.contentState?.bytes), .text(try activity.storedStartAlert),
                .bytes(activity.attributes?.bytes), .text(try activity.storedChannel),
                .text(activity.channel?.name.rawValue), .integer(lifecycle.startedAt?.millisecondsSince1970),
            ]
        )
        guard let inserted else { return nil }
        let row = ActivityRow(activity, number: try inserted.int64("number"), app: app)
        if !activity.instants.isEmpty { try self.write(activity.instants, ofActivity: row.number) }
        return row
    }

    /// Each row is written once, since each time is a new version of it.
    func update(_ rows: [ActivityRow]) throws {
        try self.updateContents(of: rows.filter { !$0.hasNewSchedule })
        try self.updateAll(of: rows.filter(\.hasNewSchedule))
    }

    private func updateContents(of rows: [ActivityRow]) throws {
        guard !rows.isEmpty else { return }
        try self.connection.queue(
            """
            UPDATE activities SET \(Self.contents)
            FROM unnest(\(Self.contentTypes)) AS told (\(Self.contentNames))
            WHERE activities.number = told.number
            """,
            try Self.contents(of: rows)
        )
    }

    private func updateAll(of rows: [ActivityRow]) throws {
        guard !rows.isEmpty else { return }
        try self.updateTimes(of: rows)
        try self.connection.queue(
            """
            UPDATE activities SET \(Self.contents), ended_at = told.ended_at, transition_due_at = told.transition_due_at,
                left_to_send = told.left_to_send, sent_through = told.sent_through
            FROM unnest(\(Self.contentTypes), $16::bigint[], $17::bigint[], $18::bigint[], $19::bigint[])
                AS told (\(Self.contentNames), ended_at, transition_due_at, left_to_send, sent_through)
            WHERE activities.number = told.number
            """,
            try Self.contents(of: rows) + [
                .integers(rows.map { $0.lifecycle.endedAt?.millisecondsSince1970 }),
                .integers(rows.map { $0.transitionDueAt?.millisecondsSince1970 }),
                .integers(rows.map { Int64($0.sendingOn?.left ?? 0) }),
                .integers(rows.map { $0.sendingOn?.place ?? 0 }),
            ]
        )
    }

    /// When there is next something to do for activities; before these are written, as what belongs to one is.
    private func updateTimes(of rows: [ActivityRow]) throws {
        let (due, idle) = (rows.filter { $0.dueAt != nil }, rows.filter { $0.dueAt == nil })
        if !due.isEmpty {
            try self.connection.queue(
                """
                INSERT INTO activity_due (activity, due_at) SELECT * FROM unnest($1::bigint[], $2::bigint[])
                ON CONFLICT (activity) DO UPDATE SET due_at = excluded.due_at
                WHERE activity_due.due_at <> excluded.due_at
                """,
                [.integers(due.map(\.number)), .integers(due.map { $0.dueAt?.millisecondsSince1970 })]
            )
        }
        if !idle.isEmpty {
            try self.connection.queue(
                "DELETE FROM activity_due WHERE activity = ANY($1::bigint[])",
                [.integers(idle.map(\.number))]
            )
        }
    }

    /// What is set of an activity whenever it is written.
    private static let contents = """
        state = told.state, version = told.version, timestamp = told.timestamp, priority = told.priority,
            stale_date = told.stale_date, relevance_score = told.relevance_score,
            dismissal_date = told.dismissal_date, joined = told.joined, entries = told.entries,
            started_at = told.started_at, expires_at = told.expires_at, content_state = told.content_state,
            alert = told.alert, budget = told.budget
        """

    /// The names and types of ``contents(of:)``.
    private static let contentNames = """
        number, state, version, timestamp, priority, stale_date, relevance_score, dismissal_date, joined, entries,
            started_at, expires_at, content_state, alert, budget
        """

    private static let contentTypes = """
        $1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
            $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bytea[], $14::text[], $15::bigint[]
        """

    /// The numbers of activities, and what is set of them whenever they are written.
    private static func contents(of rows: [ActivityRow]) throws -> [PostgresValue] {
        func integers(_ read: (ActivityLifecycle) -> Int64?) -> PostgresValue {
            .integers(rows.map { read($0.lifecycle) })
        }
        return [
            .integers(rows.map(\.number)), integers { Int64($0.state.stored) }, integers { Int64($0.version) },
            integers(\.timestamp), integers { Int64($0.priority.rawValue) }, integers(\.staleDate),
            integers(\.storedRelevance), integers(\.dismissalDate), .integers(rows.map { Int64($0.joined) }),
            .integers(rows.map { Int64($0.entries) }), integers { $0.startedAt?.millisecondsSince1970 },
            integers { $0.expiresAt?.millisecondsSince1970 },
            .byteStrings(rows.map { $0.lifecycle.contentState?.bytes }),
            .texts(try rows.map { try $0.lifecycle.storedAlert }), integers(\.storedBudget),
        ]
    }

    func write(_ instants: [InstantName: Date], ofActivity number: Int64) throws {
        try self.connection.queue("DELETE FROM activity_instants WHERE activity = $1", [.integer(number)])
        let instants = instants.sorted { $0.key < $1.key }
        try self.connection.queue(
            """
            INSERT INTO activity_instants (activity, name, time)
            SELECT $1, name, time FROM unnest($2::text[], $3::bigint[]) AS told (name, time)
            """,
            [
                .integer(number), .texts(instants.map(\.key.rawValue)),
                .integers(instants.map(\.value.millisecondsSince1970)),
            ]
        )
    }

    func write(_ transitions: [(activity: Int64, transition: ActivityTransition)]) throws {
        try self.connection.queue(
            """
            INSERT INTO activity_transitions (activity, key, state, due_at, planned_at, ended_at, plan)
            SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
                $7::text[])
            ON CONFLICT (activity, key) DO UPDATE SET state = excluded.state, due_at = excluded.due_at,
                planned_at = excluded.planned_at, ended_at = excluded.ended_at, plan = excluded.plan
            """,
            [
                .integers(transitions.map(\.activity)), .texts(transitions.map(\.transition.key.rawValue)),
                .integers(transitions.map { Int64($0.transition.storedState) }),
                .integers(transitions.map { $0.transition.dueAt?.millisecondsSince1970 }),
                .integers(transitions.map { $0.transition.plannedAt.millisecondsSince1970 }),
                .integers(transitions.map { $0.transition.endedAt?.millisecondsSince1970 }),
                .texts(try transitions.map { try $0.transition.storedPlan }),
            ]
        )
    }

    func end(_ transitions: [(activity: Int64, transition: ActivityTransition)]) throws {
        try self.connection.queue(
            """
            UPDATE activity_transitions SET state = told.state, ended_at = told.ended_at
            FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[]) AS told (activity, key, state, ended_at)
            WHERE activity_transitions.activity = told.activity AND activity_transitions.key = told.key
            """,
            [
                .integers(transitions.map(\.activity)), .texts(transitions.map(\.transition.key.rawValue)),
                .integers(transitions.map { Int64($0.transition.storedState) }),
                .integers(transitions.map { $0.transition.endedAt?.millisecondsSince1970 }),
            ]
        )
    }

    func append(_ entries: [TimelineDraft]) throws {
        try self.connection.queue(
            """
            INSERT INTO activity_timeline (activity, sequence, time, kind, version, waiting, installation, detail,
                sends, changes)
            SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[],
                $7::text[], $8::text[], $9::bytea[], $10::text[])
            """,
            [
                .integers(entries.map(\.activity)), .integers(entries.map { Int64($0.sequence) }),
                .integers(entries.map(\.time.millisecondsSince1970)), .texts(entries.map(\.kind.rawValue)),
                .integers(entries.map { Int64($0.version) }), .integers(entries.map { Int64($0.waiting) }),
                .texts(entries.map { $0.installation?.rawValue }), .texts(entries.map(\.detail)),
                .byteStrings(entries.map(\.sends.encoded)), .texts(entries.map(\.changes)),
            ]
        )
        for entry in entries where entry.isTimeToPrune {
            try self.connection.queue(
                "DELETE FROM activity_timeline WHERE activity = $1 AND sequence <= $2",
                [.integer(entry.activity), .number(entry.sequence - ActivityLimit.timelineEntries)]
            )
        }
    }

    // MARK: Phones

    func insert(_ rows: [ParticipantRow]) throws {
        try self.connection.queue(
            """
            INSERT INTO activity_participants (number, state, environment, sent_version, batch, position, origin,
                frequent_updates, token_issued_at, started_at, token, reason, recent_pushes, former_version, activity,
                joined_at, installation)
            SELECT * FROM unnest(\(Self.changingTypes), $15::bigint[], $16::bigint[], $17::text[])
            """,
            Self.changing(rows) + [
                .integers(rows.map(\.activity)), .integers(rows.map(\.participant.joinedAt.millisecondsSince1970)),
                .texts(rows.map(\.participant.installation.rawValue)),
            ]
        )
    }

    func update(_ rows: [ParticipantRow]) throws {
        try self.connection.queue(
            """
            UPDATE activity_participants SET state = told.state, environment = told.environment,
                sent_version = told.sent_version, batch = told.batch, position = told.position, origin = told.origin,
                frequent_updates = told.frequent_updates, token_issued_at = told.token_issued_at,
                started_at = told.started_at, token = told.token, reason = told.reason,
                recent_pushes = told.recent_pushes, former_version = told.former_version
            FROM unnest(\(Self.changingTypes)) AS told (number, state, environment, sent_version, batch, position,
                origin, frequent_updates, token_issued_at, started_at, token, reason, recent_pushes,
                former_version)
            WHERE activity_participants.number = told.number
            """,
            Self.changing(rows)
        )
    }

    private static let changingTypes = """
        $1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::uuid[], $6::bigint[], $7::bigint[], $8::bigint[],
        $9::bigint[], $10::bigint[], $11::bytea[], $12::text[], $13::bytea[], $14::bigint[]
        """

    /// The numbers of phones, and what changes about them.
    private static func changing(_ rows: [ParticipantRow]) -> [PostgresValue] {
        func integers(_ read: (ActivityParticipant) -> Int?) -> PostgresValue {
            .integers(rows.map { read($0.participant).map(Int64.init) })
        }
        return [
            .integers(rows.map(\.number)), integers(\.storedState.number), integers(\.environment.stored),
            integers(\.sentVersion), .ids(rows.map { $0.batch?.value }), .integers(rows.map { Int64($0.position) }),
            integers(\.origin.stored), integers(\.storedFrequentUpdates),
            .integers(rows.map { $0.participant.tokenIssuedAt?.millisecondsSince1970 }),
            .integers(rows.map { $0.participant.startedAt?.millisecondsSince1970 }),
            .byteStrings(rows.map { $0.participant.token?.bytes }),
            .texts(rows.map(\.participant.storedState.reason)),
            .byteStrings(rows.map(\.participant.recent.bytes)), integers(\.formerVersion),
        ]
    }

    func updateSends(_ rows: [ParticipantRow]) throws {
        try self.connection.queue(
            """
            UPDATE activity_participants SET sent_version = told.version, former_version = told.former,
                batch = told.batch, position = told.position, recent_pushes = told.recent_pushes
            FROM unnest($1::bigint[], $2::bigint[], $3::uuid[], $4::bigint[], $5::bytea[], $6::bigint[])
                AS told (number, version, batch, position, recent_pushes, former)
            WHERE activity_participants.number = told.number
            """,
            [
                .integers(rows.map(\.number)), .integers(rows.map { Int64($0.participant.sentVersion) }),
                .ids(rows.compactMap(\.batch?.value)), .integers(rows.map { Int64($0.position) }),
                .byteStrings(rows.map(\.participant.recent.bytes)),
                .integers(rows.map { Int64($0.participant.formerVersion) }),
            ]
        )
    }

    func insert(_ waiting: [WaitingPush]) throws {
        try self.connection.queue(
            """
            INSERT INTO activity_waiting (batch, position, participant)
            SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) ON CONFLICT DO NOTHING
            """,
            [
                .ids(waiting.map(\.batch.value)), .integers(waiting.map { Int64($0.position) }),
                .integers(waiting.map(\.participant)),
            ]
        )
    }

    func remove(_ waiting: [WaitingPush]) throws {
        try self.connection.queue(
            """
            DELETE FROM activity_waiting USING unnest($1::uuid[], $2::bigint[]) AS told (batch, position)
            WHERE activity_waiting.batch = told.batch AND activity_waiting.position = told.position
            """,
            [.ids(waiting.map(\.batch.value)), .integers(waiting.map { Int64($0.position) })]
        )
    }

    func removePhones(ofActivity number: Int64, limit: Int) throws -> Int {
        let range = ParticipantNumber.range(ofActivity: number)
        let removed = try self.connection.queue(
            """
            DELETE FROM activity_participants WHERE number IN (
                SELECT number FROM activity_participants WHERE number BETWEEN $1 AND $2 LIMIT $3
            )
            """,
            [.integer(range.lowerBound), .integer(range.upperBound), .number(limit)]
        )
        try self.connection.receive()
        return removed.changes
    }

    func removeActivity(_ number: Int64) throws {
        try self.connection.queue("DELETE FROM activities WHERE number = $1", [.integer(number)])
    }

    func insert(_ record: IdempotencyRecord, app: Int64) throws { try self.connection.insert(record, app: app) }

    /// Events are kept to the end: others that append to the feed wait for the commit from then on.
    func tell(_ events: [EventDraft], app: Int64, signalling changes: inout [StoreChange]) throws {
        for event in events { self.news.add(event, app: app) }
    }

    func removePushToStartToken(
        _ target: Target,
        of type: AttributesType,
        installation: InstallationID,
        app: Int64
    ) throws {
        try self.connection.queue(
            """
            DELETE FROM push_to_start_tokens
            WHERE app = $1 AND attributes_type = $2 AND installation = $3 AND token = $4 AND environment = $5
            """,
            [
                .integer(app), .text(type.rawValue), .text(installation.rawValue), .bytes(target.token.bytes),
                .number(target.environment.stored),
            ]
        )
    }

    // MARK: Batches

    func accept(
        _ notification: PushModel.Notification,
        batches: [PlannedBatch],
        participants: [BatchID: [Int64]],
        app: Int64,
        signalling changes: inout [StoreChange]
    ) throws {
        try self.connection.insert(notification, app: app)
        try self.insert(batches, participants, app: app, signalling: &changes)
        self.news.add(.accepted(notification, time: notification.createdAt), app: app)
    }

    /// Adds batches, and to which phones each is sent.
    func insert(
        _ batches: [PlannedBatch],
        _ participants: [BatchID: [Int64]],
        app: Int64,
        signalling changes: inout [StoreChange]
    ) throws {
        let drafts = batches.map { BatchDraft($0, isActivity: true) }
        for draft in drafts { try self.connection.insertContent(of: draft) }
        try self.connection.insert(drafts, app: app)
        for planned in batches {
            let numbers = ParticipantList.encode(participants[planned.batch.id] ?? [])
            try self.connection.queue(
                "INSERT INTO activity_batches (batch, participants) VALUES ($1, $2)",
                [.id(planned.batch.id.value), .bytes(numbers)]
            )
        }
        changes += Set(batches.map(\.batch.lane)).map { .batchReady($0) }
    }

    func supersede(
        _ indices: [Int],
        of batch: BatchRow,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws {
        try self.connection.update(batch)
        try self.connection.add(OutcomeCounts(failed: [.superseded: indices.count]), to: batch.id)
        let failures = indices.map { Settlement.Failure(index: $0, outcome: .failed(.superseded)) }
        try self.connection.insert(failures, of: batch.id)
        if batch.lifecycle.state == .settled {
            self.ends.add(batch.id, of: batch.notification)
        } else {
            changes.append(.batchAdvanced(batch.id))
        }
    }
}
