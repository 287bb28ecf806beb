// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension SQLExecutor {
    /// Adds an activity with its instants; `nil` if there is one of that ID.
    func insert(_ activity: Activity, app: Int64) throws -> ActivityRow? {
        let lifecycle = activity.lifecycle
        let startAlert = try activity.startAlert.map(StoredJSON.encode)
        let inserted = try self.first(
            """
            INSERT INTO activities (app, id, attributes_type, state, version, timestamp, priority, joined, entries,
                created_at, left_to_send, sent_through, fixed_bytes, stale_date, relevance_score, content_state,
                start_alert, attributes, channel, channel_name, started_at)
            VALUES (\(app), \(activity.id), \(activity.attributesType), \(lifecycle.state.stored),
                \(lifecycle.version), \(lifecycle.timestamp), \(lifecycle.priority.rawValue), 0, 0,
                \(activity.createdAt), 0, 0, \(activity.fixedBytes), \(lifecycle.staleDate),
                \(lifecycle.storedRelevance), \(lifecycle.contentState?.bytes), \(startAlert),
                \(activity.attributes?.bytes), \(activity.channel.map(StoredJSON.encode)), \(activity.channel?.name),
                \(lifecycle.startedAt))
            ON CONFLICT (app, id) DO NOTHING RETURNING number
            """
        )
        guard let inserted else { return nil }
        let row = ActivityRow(activity, number: try inserted.int64("number"), app: app)
        if !activity.instants.isEmpty { try self.write(activity.instants, ofActivity: row.number) }
        return row
    }

    /// Writes the columns of activities that change; their schedule only if it is new, because it is in indexes.
    func update(_ rows: [ActivityRow]) throws {
        let scheduled = rows.filter(\.hasNewSchedule)
        try self.update(scheduled.isEmpty ? rows : rows.filter { !$0.hasNewSchedule }, withSchedule: false)
        try self.update(scheduled, withSchedule: true)
    }

    private func update(_ rows: [ActivityRow], withSchedule: Bool) throws {
        if rows.isEmpty { return }
        if withSchedule, self.dialect == .postgres { try self.updateTimes(of: rows) }
        let told = try SQLRows(
            "told",
            rows,
            [
                "number": { .integer($0.number) },
                "state": { .number($0.lifecycle.state.stored) },
                "revision": { .integer($0.revision &+ 1) },
                "version": { .number($0.lifecycle.version) },
                "timestamp": { .integer($0.lifecycle.timestamp) },
                "priority": { .number($0.lifecycle.priority.rawValue) },
                "stale_date": { .integer($0.lifecycle.staleDate) },
                "relevance_score": { .integer($0.lifecycle.storedRelevance) },
                "dismissal_date": { .integer($0.lifecycle.dismissalDate) },
                "joined": { .number($0.joined) },
                "entries": { .number($0.entries) },
                "started_at": { .time($0.lifecycle.startedAt) },
                "expires_at": { .time($0.lifecycle.expiresAt) },
                "content_state": { .bytes($0.lifecycle.contentState?.bytes) },
                "alert": { .text(try $0.lifecycle.storedAlert) },
                "budget": { .integer($0.lifecycle.budget?.stored) },
                "ended_at": { .time($0.lifecycle.endedAt) },
                "transition_due_at": { .time($0.transitionDueAt) },
                "left_to_send": { .number($0.sendingOn?.left ?? 0) },
                "sent_through": { .integer($0.sendingOn?.place ?? 0) },
                "due_at": { .time($0.dueAt) },
            ]
        )
        // PostgreSQL has `due_at` in another table.
        let end = withSchedule ? self.dialect == .sqlite ? 21 : 20 : 16
        try self.update("activities", 1..<end, of: told)
    }

    private func update(_ table: StaticString, _ columns: Range<Int>, of told: SQLRows) throws {
        let table = SQL(stringLiteral: table)
        try self.run(
            """
            UPDATE \(table) SET \(told.assignments(columns))\(" FROM ", told)
            WHERE \(table).number = \(told["number"])
            """
        )
    }

    /// Writes when something is due for activities, into the table that PostgreSQL has for it.
    private func updateTimes(of rows: [ActivityRow]) throws {
        let told = try SQLRows(
            "told",
            rows.filter { $0.dueAt != nil },
            ["activity": { .integer($0.number) }, "due_at": { .time($0.dueAt) }]
        )
        try self.run(
            """
            INSERT INTO activity_due \(told.insert()) ON CONFLICT (activity) DO UPDATE SET due_at = excluded.due_at
            WHERE activity_due.due_at <> excluded.due_at
            """
        )
        let idle = rows.filter { $0.dueAt == nil }.map(\.number)
        try self.run("DELETE FROM activity_due WHERE activity \(each: idle)")
    }

    func write(_ instants: [InstantName: Date], ofActivity number: Int64) throws {
        try self.run("DELETE FROM activity_instants WHERE activity = \(number)")
        let told = try SQLRows(
            "told",
            instants.sorted { $0.key < $1.key },
            ["name": { .identifier($0.key) }, "time": { .time($0.value) }]
        )
        try self.run("INSERT INTO activity_instants \(told.insert(["activity": "\(number)"]))")
    }

    /// Adds transitions of activities; each replaces the one of its key.
    func write(_ transitions: [(activity: Int64, transition: ActivityTransition)]) throws {
        let told = try SQLRows(
            "told",
            transitions,
            [
                "activity": { .integer($0.activity) },
                "key": { .identifier($0.transition.key) },
                "state": { .number($0.transition.storedState) },
                "due_at": { .time($0.transition.dueAt) },
                "planned_at": { .time($0.transition.plannedAt) },
                "ended_at": { .time($0.transition.endedAt) },
                "plan": { .text(try StoredPlan.encode($0.transition.plan)) },
            ]
        )
        try self.run(
            """
            INSERT INTO activity_transitions \(told.insert())
            ON CONFLICT (activity, key) DO UPDATE SET state = excluded.state, due_at = excluded.due_at,
                planned_at = excluded.planned_at, ended_at = excluded.ended_at, plan = excluded.plan
            """
        )
    }

    func end(_ transitions: [(activity: Int64, transition: ActivityTransition)]) throws {
        let told = try SQLRows(
            "told",
            transitions,
            [
                "activity": { .integer($0.activity) },
                "key": { .identifier($0.transition.key) },
                "state": { .number($0.transition.storedState) },
                "ended_at": { .time($0.transition.endedAt) },
            ]
        )
        try self.run(
            """
            UPDATE activity_transitions SET \(told.assignments(2..<4))\(" FROM ", told)
            WHERE activity_transitions.activity = \(told["activity"]) AND activity_transitions.key = \(told["key"])
            """
        )
    }

    /// Adds entries to timelines, and removes the oldest ones of a timeline that is full.
    func append(_ entries: [TimelineDraft]) throws {
        let told = try SQLRows(
            "told",
            entries,
            [
                "activity": { .integer($0.activity) },
                "sequence": { .number($0.sequence) },
                "time": { .time($0.time) },
                "kind": { .text($0.kind.rawValue) },
                "version": { .number($0.version) },
                "waiting": { .number($0.waiting) },
                "installation": { .identifier($0.installation) },
                "detail": { .text($0.detail) },
                "sends": { .bytes($0.sends.encoded) },
                "changes": { .text($0.changes) },
            ]
        )
        try self.run("INSERT INTO activity_timeline \(told.insert())")
        // Not with every entry, so that few wait for it.
        for entry in entries where entry.sequence.isMultiple(of: 50) {
            let last = entry.sequence - ActivityLimit.timelineEntries
            guard last > 0 else { continue }
            try self.run("DELETE FROM activity_timeline WHERE activity = \(entry.activity) AND sequence <= \(last)")
        }
    }

    /// The numbers of the activities that still have the revision that was read.
    ///
    /// A transaction locks these, and skips activities that other transactions hold.
    func unchanged(_ rows: [ActivityRow]) throws -> Set<Int64> {
        let told = try SQLRows(
            "told",
            rows,
            ["number": { .integer($0.number) }, "revision": { .integer($0.revision) }]
        )
        let found = try self.rows(
            """
            SELECT activities.number FROM activities\(", ", told)
            WHERE activities.number = \(told["number"]) AND activities.revision = \(told["revision"])\
            \(lock: " ORDER BY activities.number FOR UPDATE OF activities SKIP LOCKED")
            """
        )
        return Set(try found.map { try $0.int64("number") })
    }

    /// The columns of devices: the number, the columns that change, and the rest.
    private func told(_ rows: [ParticipantRow]) throws -> SQLRows {
        try SQLRows(
            "told",
            rows,
            [
                "number": { .integer($0.number) },
                "position": { .number($0.position) },
                "sent_version": { .number($0.participant.sentVersion) },
                "state": { .number($0.participant.storedState.number) },
                "environment": { .environment($0.participant.environment) },
                "origin": { .number($0.participant.origin.stored) },
                "batch": { .id($0.batch?.value) },
                "token": { .bytes($0.participant.token?.bytes) },
                "token_issued_at": { .time($0.participant.tokenIssuedAt) },
                "started_at": { .time($0.participant.startedAt) },
                "frequent_updates": { .number($0.participant.storedFrequentUpdates) },
                "recent_pushes": { .bytes($0.participant.recent.bytes) },
                "reason": { .text($0.participant.storedState.reason) },
                "former_version": { .number($0.participant.formerVersion) },
                "activity": { .integer($0.activity) },
                "installation": { .identifier($0.participant.installation) },
                "joined_at": { .time($0.participant.joinedAt) },
            ]
        )
    }

    func insert(_ rows: [ParticipantRow]) throws {
        try self.run("INSERT INTO activity_participants \(self.told(rows).insert())")
    }

    func update(_ rows: [ParticipantRow]) throws {
        try self.update("activity_participants", 1..<14, of: self.told(rows))
    }

    func updateSends(_ rows: [ParticipantRow]) throws {
        let told = try SQLRows(
            "told",
            rows,
            [
                "number": { .integer($0.number) },
                "position": { .number($0.position) },
                "sent_version": { .number($0.participant.sentVersion) },
                "former_version": { .number($0.participant.formerVersion) },
                "batch": { .id($0.batch?.value) },
                "recent_pushes": { .bytes($0.participant.recent.bytes) },
            ]
        )
        try self.update("activity_participants", 1..<6, of: told)
    }

    /// Adds devices that wait; one that waits already for the same target stays as it is.
    func insert(_ waiting: [WaitingPush]) throws {
        let told = try SQLRows(
            "told",
            waiting,
            [
                "batch": { .id($0.batch.value) },
                "position": { .number($0.position) },
                "participant": { .integer($0.participant) },
            ]
        )
        try self.run("INSERT INTO activity_waiting \(told.insert()) ON CONFLICT DO NOTHING")
    }

    func remove(_ waiting: [WaitingPush]) throws {
        let told = try SQLRows(
            "told",
            waiting,
            ["batch": { .id($0.batch.value) }, "position": { .number($0.position) }]
        )
        try self.run(
            """
            DELETE FROM activity_waiting\(" USING ", told)
            WHERE activity_waiting.batch = \(told["batch"]) AND activity_waiting.position = \(told["position"])
            """
        )
    }
}
