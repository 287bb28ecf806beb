// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension ActivityConnection {
    func insert(_ activity: Activity, app: Int64) throws -> ActivityRow {
        let lifecycle = activity.lifecycle
        let inserted = try self.connection.row(
            """
            INSERT INTO activities (app, id, attributes_type, state, version, timestamp, priority, joined, entries,
                created_at, left_to_send, sent_through, fixed_bytes, stale_date, relevance_score, content_state,
                start_alert, attributes)
            VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 0, $8, 0, 0, $9, $10, $11, $12, $13, $14)
            ON CONFLICT (app, id) DO NOTHING RETURNING number
            """,
            [
                .integer(app), .text(activity.id.rawValue), .text(activity.attributesType.rawValue),
                .number(lifecycle.state.stored), .number(lifecycle.version), .integer(lifecycle.timestamp),
                .number(lifecycle.priority.rawValue), .integer(activity.createdAt.millisecondsSince1970),
                .number(activity.fixedBytes), .integer(lifecycle.staleDate), .integer(lifecycle.storedRelevance),
                .bytes(lifecycle.contentState?.bytes), .text(try activity.storedStartAlert),
                .bytes(activity.attributes?.bytes),
            ]
        )
        guard let inserted else { throw StoreError.taken("an activity '\(activity.id)'") }
        let row = ActivityRow(activity, number: Int64(try inserted.number("number")), app: app)
        if !activity.instants.isEmpty { try self.write(activity.instants, ofActivity: row.number) }
        return row
    }

    func update(_ rows: [ActivityRow]) throws {
        for row in rows.sorted(by: { $0.number < $1.number }) {
            let lifecycle = row.lifecycle
            try self.connection.queue(
                """
                UPDATE activities SET state = $2, version = $3, timestamp = $4, priority = $5, stale_date = $6,
                    relevance_score = $7, dismissal_date = $8, joined = $9, entries = $10, started_at = $11,
                    expires_at = $12, content_state = $13, alert = $14 WHERE number = $1
                """,
                [
                    .integer(row.number), .number(lifecycle.state.stored), .number(lifecycle.version),
                    .integer(lifecycle.timestamp), .number(lifecycle.priority.rawValue),
                    .integer(lifecycle.staleDate), .integer(lifecycle.storedRelevance),
                    .integer(lifecycle.dismissalDate), .number(row.joined), .number(row.entries),
                    .integer(lifecycle.startedAt?.millisecondsSince1970),
                    .integer(lifecycle.expiresAt?.millisecondsSince1970), .bytes(lifecycle.contentState?.bytes),
                    .text(try lifecycle.storedAlert),
                ]
            )
            guard row.hasNewSchedule else { continue }
            try self.connection.queue(
                """
                UPDATE activities SET ended_at = $2, transition_due_at = $3, due_at = $4, left_to_send = $5,
                    sent_through = $6 WHERE number = $1
                """,
                [
                    .integer(row.number), .integer(lifecycle.endedAt?.millisecondsSince1970),
                    .integer(row.transitionDueAt?.millisecondsSince1970), .integer(row.dueAt?.millisecondsSince1970),
                    .number(row.sendingOn?.left ?? 0), .integer(row.sendingOn?.place ?? 0),
                ]
            )
        }
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
        for (number, transition) in transitions {
            try self.connection.queue(
                """
                INSERT INTO activity_transitions (activity, key, state, due_at, planned_at, ended_at, plan)
                VALUES ($1, $2, $3, $4, $5, $6, $7)
                ON CONFLICT (activity, key) DO UPDATE SET state = excluded.state, due_at = excluded.due_at,
                    planned_at = excluded.planned_at, ended_at = excluded.ended_at, plan = excluded.plan
                """,
                [
                    .integer(number), .text(transition.key.rawValue), .number(transition.storedState),
                    .integer(transition.dueAt?.millisecondsSince1970),
                    .integer(transition.plannedAt.millisecondsSince1970),
                    .integer(transition.endedAt?.millisecondsSince1970), .text(try transition.storedPlan),
                ]
            )
        }
    }

    func append(_ entries: [TimelineDraft]) throws {
        for entry in entries {
            try self.connection.queue(
                """
                INSERT INTO activity_timeline (activity, sequence, time, kind, version, waiting, installation, detail,
                    sends)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
                """,
                [
                    .integer(entry.activity), .number(entry.sequence), .integer(entry.time.millisecondsSince1970),
                    .text(entry.kind.rawValue), .number(entry.version), .number(entry.waiting),
                    .text(entry.installation?.rawValue), .text(entry.detail), .bytes(entry.sends.encoded),
                ]
            )
            guard entry.isTimeToPrune else { continue }
            try self.connection.queue(
                "DELETE FROM activity_timeline WHERE activity = $1 AND sequence <= $2",
                [.integer(entry.activity), .number(entry.sequence - ActivityLimit.timelineEntries)]
            )
        }
    }

    // MARK: Phones

    func insert(_ rows: [ParticipantRow]) throws {
        for row in rows {
            let phone = row.participant
            try self.connection.queue(
                """
                INSERT INTO activity_participants (number, activity, installation, state, environment, token,
                    sent_version, batch, position, origin, frequent_updates, token_issued_at, joined_at, started_at,
                    reason)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
                """,
                [
                    .integer(row.number), .integer(row.activity), .text(phone.installation.rawValue),
                    .number(phone.storedState.number), .number(phone.environment.stored), .bytes(phone.token?.bytes),
                    .number(phone.sentVersion), .id(row.batch?.value), .number(row.position),
                    .number(phone.origin == .app ? 0 : 1), .number(phone.storedFrequentUpdates),
                    .integer(phone.tokenIssuedAt?.millisecondsSince1970),
                    .integer(phone.joinedAt.millisecondsSince1970), .integer(phone.startedAt?.millisecondsSince1970),
                    .text(phone.storedState.reason),
                ]
            )
        }
    }

    func update(_ rows: [ParticipantRow]) throws {
        for row in rows {
            let phone = row.participant
            try self.connection.queue(
                """
                UPDATE activity_participants SET state = $2, environment = $3, token = $4, sent_version = $5,
                    batch = $6, position = $7, frequent_updates = $8, token_issued_at = $9, started_at = $10,
                    reason = $11 WHERE number = $1
                """,
                [
                    .integer(row.number), .number(phone.storedState.number), .number(phone.environment.stored),
                    .bytes(phone.token?.bytes), .number(phone.sentVersion), .id(row.batch?.value),
                    .number(row.position), .number(phone.storedFrequentUpdates),
                    .integer(phone.tokenIssuedAt?.millisecondsSince1970),
                    .integer(phone.startedAt?.millisecondsSince1970), .text(phone.storedState.reason),
                ]
            )
        }
    }

    func updateSends(_ rows: [ParticipantRow]) throws {
        try self.connection.queue(
            """
            UPDATE activity_participants SET sent_version = told.version, batch = told.batch, position = told.position
            FROM unnest($1::bigint[], $2::bigint[], $3::uuid[], $4::bigint[]) AS told (number, version, batch, position)
            WHERE activity_participants.number = told.number
            """,
            [
                .integers(rows.map(\.number)), .integers(rows.map { Int64($0.participant.sentVersion) }),
                .ids(rows.compactMap(\.batch?.value)), .integers(rows.map { Int64($0.position) }),
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

    func removePushToStartToken(
        _ token: DeviceToken,
        of type: AttributesType,
        installation: InstallationID,
        app: Int64
    ) throws {
        try self.connection.queue(
            """
            DELETE FROM push_to_start_tokens
            WHERE app = $1 AND attributes_type = $2 AND installation = $3 AND token = $4
            """,
            [.integer(app), .text(type.rawValue), .text(installation.rawValue), .bytes(token.bytes)]
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
        self.news.add(.accepted(notification, time: notification.createdAt), app: app)
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
