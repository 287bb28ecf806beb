// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLStore
import SQLite

extension ActivitySQL {
    func insert(_ activity: Activity, app: Int64) throws -> ActivityRow? {
        let known = try self.database.row(
            "SELECT 1 FROM activities WHERE app = ? AND id = ?",
            [app, activity.id.rawValue]
        )
        guard known == nil else { return nil }
        let lifecycle = activity.lifecycle
        try self.database.run(
            """
            INSERT INTO activities (app, id, attributes_type, state, version, timestamp, priority, joined, entries,
                created_at, left_to_send, sent_through, fixed_bytes, stale_date, relevance_score, content_state,
                start_alert, attributes, channel, channel_name, started_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, ?, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                app, activity.id.rawValue, activity.attributesType.rawValue, lifecycle.state.stored, lifecycle.version,
                lifecycle.timestamp, lifecycle.priority.rawValue, activity.createdAt.millisecondsSince1970,
                activity.fixedBytes, lifecycle.staleDate, lifecycle.storedRelevance,
                lifecycle.contentState?.bytes, try activity.storedStartAlert,
                activity.attributes?.bytes, try activity.storedChannel,
                activity.channel?.name.rawValue, lifecycle.startedAt?.millisecondsSince1970,
            ]
        )
        let row = ActivityRow(activity, number: self.database.lastInsertedRowID, app: app)
        if !activity.instants.isEmpty { try self.write(activity.instants, ofActivity: row.number) }
        return row
    }

    func update(_ rows: [ActivityRow]) throws {
        let contents = """
            state = ?, version = ?, timestamp = ?, priority = ?, stale_date = ?, relevance_score = ?,
                dismissal_date = ?, joined = ?, entries = ?, started_at = ?, expires_at = ?, content_state = ?,
                alert = ?, budget = ?
            """
        let schedule = "ended_at = ?, transition_due_at = ?, due_at = ?, left_to_send = ?, sent_through = ?"
        let content = try self.database.cachedStatement("UPDATE activities SET \(contents) WHERE number = ?")
        let all = try self.database.cachedStatement("UPDATE activities SET \(contents), \(schedule) WHERE number = ?")
        for row in rows {
            let lifecycle = row.lifecycle
            var values: StatementArguments = [
                lifecycle.state.stored, lifecycle.version, lifecycle.timestamp,
                lifecycle.priority.rawValue, lifecycle.staleDate,
                lifecycle.storedRelevance, lifecycle.dismissalDate, row.joined,
                row.entries, lifecycle.startedAt?.millisecondsSince1970,
                lifecycle.expiresAt?.millisecondsSince1970, lifecycle.contentState?.bytes,
                try lifecycle.storedAlert, lifecycle.storedBudget,
            ]
            if row.hasNewSchedule {
                values += [
                    lifecycle.endedAt?.millisecondsSince1970,
                    row.transitionDueAt?.millisecondsSince1970, row.dueAt?.millisecondsSince1970,
                    row.sendingOn?.left ?? 0, row.sendingOn?.place ?? 0,
                ]
            }
            try (row.hasNewSchedule ? all : content).run(values + [row.number])
        }
    }

    func write(_ instants: [InstantName: Date], ofActivity number: Int64) throws {
        try self.database.run("DELETE FROM activity_instants WHERE activity = ?", [number])
        for (name, date) in instants {
            try self.database.run(
                "INSERT INTO activity_instants (activity, name, time) VALUES (?, ?, ?)",
                [number, name.rawValue, date.millisecondsSince1970]
            )
        }
    }

    func write(_ transitions: [(activity: Int64, transition: ActivityTransition)]) throws {
        let statement = try self.database.cachedStatement(
            """
            INSERT INTO activity_transitions (activity, key, state, due_at, planned_at, ended_at, plan)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (activity, key) DO UPDATE SET state = excluded.state, due_at = excluded.due_at,
                planned_at = excluded.planned_at, ended_at = excluded.ended_at, plan = excluded.plan
            """
        )
        for (number, transition) in transitions {
            try statement.run([
                number, transition.key.rawValue, transition.storedState,
                transition.dueAt?.millisecondsSince1970,
                transition.plannedAt.millisecondsSince1970,
                transition.endedAt?.millisecondsSince1970, try transition.storedPlan,
            ])
        }
    }

    func end(_ transitions: [(activity: Int64, transition: ActivityTransition)]) throws {
        let statement = try self.database.cachedStatement(
            "UPDATE activity_transitions SET state = ?, ended_at = ? WHERE activity = ? AND key = ?"
        )
        for (number, transition) in transitions {
            try statement.run([
                transition.storedState, transition.endedAt?.millisecondsSince1970,
                number, transition.key.rawValue,
            ])
        }
    }

    func append(_ entries: [TimelineDraft]) throws {
        let statement = try self.database.cachedStatement(
            """
            INSERT INTO activity_timeline (activity, sequence, time, kind, version, waiting, installation, detail,
                sends, changes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        for entry in entries {
            try statement.run([
                entry.activity, entry.sequence, entry.time.millisecondsSince1970,
                entry.kind.rawValue, entry.version, entry.waiting,
                entry.installation?.rawValue, entry.detail, entry.sends.encoded,
                entry.changes,
            ])
            guard entry.isTimeToPrune else { continue }
            try self.database.run(
                "DELETE FROM activity_timeline WHERE activity = ? AND sequence <= ?",
                [entry.activity, entry.sequence - ActivityLimit.timelineEntries]
            )
        }
    }

    // MARK: Phones

    func insert(_ rows: [ParticipantRow]) throws {
        for row in rows {
            let phone = row.participant
            try self.database.run(
                """
                INSERT INTO activity_participants (number, activity, installation, state, environment, token,
                    sent_version, batch, position, origin, frequent_updates, token_issued_at, joined_at, started_at,
                    reason, recent_pushes, former_version)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    row.number, row.activity, phone.installation.rawValue, phone.storedState.number,
                    phone.environment.stored, phone.token?.bytes, phone.sentVersion, row.batch?.value.stored,
                    row.position,
                    phone.origin.stored, phone.storedFrequentUpdates,
                    phone.tokenIssuedAt?.millisecondsSince1970, phone.joinedAt.millisecondsSince1970,
                    phone.startedAt?.millisecondsSince1970, phone.storedState.reason,
                    phone.recent.bytes, phone.formerVersion,
                ]
            )
        }
    }

    func update(_ rows: [ParticipantRow]) throws {
        for row in rows {
            let phone = row.participant
            try self.database.run(
                """
                UPDATE activity_participants SET state = ?, environment = ?, token = ?, sent_version = ?, batch = ?,
                    position = ?, origin = ?, frequent_updates = ?, token_issued_at = ?, started_at = ?, reason = ?,
                    recent_pushes = ?, former_version = ?
                WHERE number = ?
                """,
                [
                    phone.storedState.number, phone.environment.stored, phone.token?.bytes, phone.sentVersion,
                    row.batch?.value.stored, row.position, phone.origin.stored, phone.storedFrequentUpdates,
                    phone.tokenIssuedAt?.millisecondsSince1970, phone.startedAt?.millisecondsSince1970,
                    phone.storedState.reason, phone.recent.bytes, phone.formerVersion,
                    row.number,
                ]
            )
        }
    }

    func updateSends(_ rows: [ParticipantRow]) throws {
        let statement = try self.database.cachedStatement(
            """
            UPDATE activity_participants SET sent_version = ?, former_version = ?, batch = ?, position = ?,
                recent_pushes = ?
            WHERE number = ?
            """
        )
        for row in rows {
            try statement.run([
                row.participant.sentVersion, row.participant.formerVersion,
                row.batch?.value.stored, row.position, row.participant.recent.bytes,
                row.number,
            ])
        }
    }

    func insert(_ waiting: [WaitingPush]) throws {
        let statement = try self.database.cachedStatement(
            "INSERT OR IGNORE INTO activity_waiting (batch, position, participant) VALUES (?, ?, ?)"
        )
        for push in waiting {
            try statement.run([
                push.batch.value.stored, push.position, push.participant,
            ])
        }
    }

    func remove(_ waiting: [WaitingPush]) throws {
        let statement = try self.database.cachedStatement(
            "DELETE FROM activity_waiting WHERE batch = ? AND position = ?"
        )
        for push in waiting { try statement.run([push.batch.value.stored, push.position]) }
    }

    func removePhones(ofActivity number: Int64, limit: Int) throws -> Int {
        let range = ParticipantNumber.range(ofActivity: number)
        return try self.database.run(
            """
            DELETE FROM activity_participants WHERE number IN (
                SELECT number FROM activity_participants WHERE number BETWEEN ? AND ? LIMIT ?
            )
            """,
            [range.lowerBound, range.upperBound, limit]
        )
    }

    func removeActivity(_ number: Int64) throws {
        try self.database.run("DELETE FROM activities WHERE number = ?", [number])
    }

    func insert(_ record: IdempotencyRecord, app: Int64) throws { try self.database.insert(record, app: app) }

    func tell(_ events: [EventDraft], app: Int64, signalling changes: inout [StoreChange]) throws {
        for event in events { try self.database.append(event, app: app, signalling: &changes) }
    }

    func removePushToStartToken(
        _ target: Target,
        of type: AttributesType,
        installation: InstallationID,
        app: Int64
    ) throws {
        try self.database.run(
            """
            DELETE FROM push_to_start_tokens
            WHERE app = ? AND attributes_type = ? AND installation = ? AND token = ? AND environment = ?
            """,
            [app, type.rawValue, installation.rawValue, target.token.bytes, target.environment.stored]
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
        try self.database.insert(notification, app: app)
        let ready = batches.filter { $0.sendAt == nil }.map(\.batch)
        let claims = self.handOver?.take(ready, now: notification.createdAt) ?? [:]
        for planned in batches {
            try self.insert(planned, claimed: claims[planned.batch.id], participants, app: app)
        }
        for lane in Set(batches.filter { claims[$0.batch.id] == nil }.map(\.batch.lane))
        where !changes.contains(.batchReady(lane)) {
            changes.append(.batchReady(lane))
        }
        try self.database.append(
            .accepted(notification, time: notification.createdAt),
            app: app,
            signalling: &changes
        )
    }

    /// Adds a batch, and to which phones it is sent.
    func insert(
        _ planned: PlannedBatch,
        claimed: ClaimedBatch? = nil,
        _ participants: [BatchID: [Int64]],
        app: Int64
    ) throws {
        try self.database.insert(
            planned,
            claimed: claimed,
            isActivity: true,
            kind: planned.batch.kind,
            payload: planned.batch.payload.encoded,
            app: app
        )
        try self.database.run(
            "INSERT INTO activity_batches (batch, participants) VALUES (?, ?)",
            [planned.batch.id.value.stored, ParticipantList.encode(participants[planned.batch.id] ?? [])]
        )
    }

    func supersede(
        _ indices: [Int],
        of batch: BatchRow,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws {
        try self.database.update(batch)
        try self.database.add(OutcomeCounts(failed: [.superseded: indices.count]), to: batch.id)
        let failures = indices.map { Settlement.Failure(index: $0, outcome: .failed(.superseded)) }
        try self.database.insert(failures, of: batch.id)
        changes.append(.batchAdvanced(batch.id))
        guard batch.lifecycle.state == .settled else { return }
        try self.database.settleIfDone(batch.notification, now: now, signalling: &changes)
    }
}
