// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// The columns of a table, with their values in a row.
private typealias Columns<Row> = KeyValuePairs<StaticString, (Row) throws -> SQLValue>

private typealias PlannedTransition = (activity: Int64, transition: ActivityTransition)

extension SQLTransaction {
    /// Decides on one locked activity, and writes the decision.
    @discardableResult
    func apply(_ command: ActivityCommand, to snapshot: ActivitySnapshot, now: Date) throws -> ActivityChangeSet {
        try self.apply([decide(command, on: snapshot, at: now)], now: now)
    }

    /// Writes decisions on locked activities of one app.
    @discardableResult
    func apply(
        _ writes: consuming [ActivityWrites],
        rollout: ActivityRollout? = nil,
        now: Date
    ) throws -> ActivityChangeSet {
        let changes = try ActivityChangeSet(combining: writes, rollout: rollout, at: now)
        try self.apply(changes)
        return changes
    }

    /// Writes a change set; its activities are locked, and have the revisions on which it was decided.
    func apply(_ changes: ActivityChangeSet) throws {
        guard let app = changes.writes.first?.row.app else { return }
        let isPlanned = try self.writePlans(of: changes)
        try self.send(changes, app: app)
        var devices: [ActivityWrites.Participant] = []
        var waiting: [PendingUpdate] = []
        var entries: [NewTimelineEntry] = []
        var rows: [ActivityRow] = []
        var superseded: [(batch: BatchRow, position: Int)] = []
        // By index: a copy of all writes of an activity costs as much as a row.
        for index in changes.writes.indices {
            devices += changes.writes[index].participants
            waiting += changes.writes[index].waiting
            for entry in changes.writes[index].entries where entry.isTold { entries.append(entry) }
            if changes.writes[index].isChanged { rows.append(changes.writes[index].row) }
            superseded += changes.writes[index].superseded
        }
        // The rows of activities after the rows that refer to them: PostgreSQL then finds the activities as they were
        // locked, and does not lock the new versions for the foreign keys.
        try self.write(devices)
        // A device that waits already for the same target stays as it is.
        try self.insert(waiting, into: "activity_waiting", Self.waitingColumns, onConflict: "DO NOTHING")
        try self.append(entries)
        try self.update(rows)
        for pushes in Dictionary(grouping: superseded, by: \.batch.id).values {
            try self.supersede(Set(pushes.map(\.position)), of: pushes[0].batch, now: changes.time)
        }
        for index in changes.writes.indices {
            for (installation, target) in changes.writes[index].rejectedStarts {
                // Unless the device registered another one since.
                try self.run(
                    """
                    DELETE FROM push_to_start_tokens
                    WHERE app = \(app) AND attributes_type = \(changes.writes[index].row.attributesType)
                        AND installation = \(installation) AND token = \(target.token)
                        AND environment = \(target.environment)
                    """
                )
            }
            for event in changes.writes[index].events { self.append(event, app: app) }
        }
        if isPlanned || rows.contains(where: { $0.sendingOn != nil }) { self.signal(.activitiesDue) }
    }

    /// Writes instants and transitions; returns whether transitions were scheduled or moved.
    private func writePlans(of changes: ActivityChangeSet) throws -> Bool {
        var changed: [PlannedTransition] = []
        var ended: [PlannedTransition] = []
        for index in changes.writes.indices {
            guard let plan = changes.writes[index].plan else { continue }
            let number = changes.writes[index].row.number
            if plan.isMoved { try self.write(plan.instants, ofActivity: number) }
            changed += plan.changed.map { (number, $0) }
            ended += plan.ended.map { (number, $0) }
        }
        try self.insert(
            changed,
            into: "activity_transitions",
            Self.transitionColumns,
            onConflict: """
                (activity, key) DO UPDATE SET state = excluded.state, due_at = excluded.due_at,
                    planned_at = excluded.planned_at, ended_at = excluded.ended_at, plan = excluded.plan
                """
        )
        if !ended.isEmpty {
            let told = try SQLRows("told", ended, Self.transitionColumns, first: 4)
            try self.run(
                """
                UPDATE activity_transitions SET \(told.assignments(2..<4))\(" FROM ", told)
                WHERE activity_transitions.activity = \(told["activity"]) AND activity_transitions.key = \(told["key"])
                """
            )
        }
        return !changed.isEmpty
    }

    private func write(_ devices: [ActivityWrites.Participant]) throws {
        var sent: [ParticipantRow] = []
        var added: [ParticipantRow] = []
        var changed: [ParticipantRow] = []
        for device in devices {
            switch device.kind {
            case .sent: sent.append(device.row)
            case .added: added.append(device.row)
            case .changed: changed.append(device.row)
            }
        }
        try self.update("activity_participants", sent, Self.participantColumns, first: 6)
        try self.insert(added, into: "activity_participants", Self.participantColumns)
        try self.update("activity_participants", changed, Self.participantColumns, first: 14)
    }

    /// Stores the batches that send the pushes, with their notification.
    private func send(_ changes: ActivityChangeSet, app: Int64) throws {
        if changes.batches.isEmpty { return }
        var claims: [BatchID: ClaimedBatch] = [:]
        if let notification = changes.notification {
            try self.insert(notification, app: app)
            let ready = changes.batches.filter { $0.sendAt == nil }.map(\.batch)
            claims = self.handOver?.take(ready) ?? [:]
        }
        try self.insert(changes.batches.map { NewBatch($0, isActivity: true) }, claimed: claims, app: app)
        try self.insert(
            Array(zip(changes.batches, changes.devices)),
            into: "activity_batches",
            [
                "batch": { .id($0.0.batch.id.value) },
                "participants": { .bytes(ParticipantList.encode($0.1)) },
            ]
        )
        for lane in Set(changes.batches.filter { claims[$0.batch.id] == nil }.map(\.batch.lane)) {
            self.signal(.batchReady(lane))
        }
        if let notification = changes.notification {
            self.append(.accepted(notification, time: notification.createdAt), app: app)
        } else if let rollout = changes.rollout?.id.notification {
            let count = changes.batches.count
            let targets = changes.batches.reduce(0) { $0 + $1.batch.targets.count }
            try self.add(targets: targets, batches: count, unsettled: count, to: rollout)
        }
    }

    /// Fails deferred targets of a batch.
    private func supersede(_ positions: Set<Int>, of row: BatchRow, now: Date) throws {
        var batch = row
        let positions = batch.lifecycle.supersede(positions)
        try self.update(batch)
        try self.add(OutcomeCounts(failed: [.superseded: positions.count]), to: batch.id)
        let failures = positions.map { Settlement.Failure(index: $0, outcome: .failed(.superseded)) }
        try self.insert(failures, of: batch.id)
        if batch.lifecycle.state == .settled {
            self.end(batch.id, of: batch.notification, now: now)
        } else {
            self.signal(.batchAdvanced(batch.id))
        }
    }
}

extension SQLTransaction {
    /// Adds an activity with its instants; `nil` if there is one of that ID.
    ///
    /// The columns that change are written with the first decision, in the same transaction.
    /// - Parameter owner: the installation that creates it; `nil` for a backend.
    func insert(_ activity: Activity, app: Int64, owner: DeviceID? = nil) throws -> ActivityRow? {
        let startAlert = try activity.startAlert.map(StoredJSON.encode)
        let inserted = try self.first(
            """
            INSERT INTO activities (app, id, attributes_type, created_at, fixed_bytes, start_alert, attributes, channel,
                channel_name, owner, timestamp, left_to_send, sent_through, version, joined, entries, state, priority)
            VALUES (\(app), \(activity.id), \(activity.attributesType), \(activity.createdAt), \(activity.fixedBytes),
                \(SQLValue.contentText(startAlert)), \(SQLValue.content(activity.attributes?.bytes)), \(activity.channel.map(StoredJSON.encode)),
                \(activity.channel?.name), \(owner), 0, 0, 0, 0, 0, 0, 0, 0)
            ON CONFLICT (app, id) DO NOTHING RETURNING number
            """
        )
        guard let inserted else { return nil }
        let row = ActivityRow(activity, number: try inserted.int64("number"), app: app)
        if !activity.instants.isEmpty { try self.write(activity.instants, ofActivity: row.number) }
        return row
    }

    private func write(_ instants: [InstantName: Date], ofActivity number: Int64) throws {
        try self.run("DELETE FROM activity_instants WHERE activity = \(number)")
        try self.insert(
            instants.sorted { $0.key < $1.key },
            into: "activity_instants",
            ["activity": { _ in .integer(number) }, "name": { .identifier($0.key) }, "time": { .time($0.value) }]
        )
    }

    /// Writes the columns of activities that change; their schedule only if it is new, because it is in indexes.
    private func update(_ rows: [ActivityRow]) throws {
        let scheduled = rows.filter(\.hasNewSchedule)
        let others = scheduled.isEmpty ? rows : rows.filter { !$0.hasNewSchedule }
        try self.update("activities", others, Self.activityColumns, first: 16)
        if scheduled.isEmpty { return }
        if self.dialect == .postgres { try self.updateTimes(of: scheduled) }
        try self.update("activities", scheduled, Self.activityColumns, first: self.dialect == .sqlite ? 21 : 20)
    }

    /// Writes the times of the next work on activities, into the table that PostgreSQL has for them.
    private func updateTimes(of rows: [ActivityRow]) throws {
        try self.insert(
            rows.filter { $0.dueAt != nil },
            into: "activity_due",
            ["activity": { .integer($0.number) }, "due_at": { .time($0.dueAt) }],
            onConflict: "(activity) DO UPDATE SET due_at = excluded.due_at WHERE activity_due.due_at <> excluded.due_at"
        )
        let idle = rows.filter { $0.dueAt == nil }.map(\.number)
        try self.run("DELETE FROM activity_due WHERE activity \(each: idle)")
    }

    /// Adds entries to timelines, and removes the oldest ones of a timeline that is full.
    private func append(_ entries: [NewTimelineEntry]) throws {
        try self.insert(
            entries,
            into: "activity_timeline",
            [
                "activity": { .integer($0.activity) },
                "sequence": { .number($0.sequence) },
                "time": { .time($0.time) },
                "kind": { .text($0.kind.rawValue) },
                "version": { .number($0.version) },
                "waiting": { .number($0.pending) },
                "installation": { .identifier($0.installation) },
                "detail": { .text($0.detail) },
                "sends": { .bytes($0.sends.encoded) },
                "changes": { .contentText($0.changes) },
            ]
        )
        // Not with every entry, so that few wait for it.
        for entry in entries where entry.sequence.isMultiple(of: 50) {
            let last = entry.sequence - ActivityLimit.timelineEntries
            guard last > 0 else { continue }
            try self.run("DELETE FROM activity_timeline WHERE activity = \(entry.activity) AND sequence <= \(last)")
        }
    }

    func remove(_ waiting: [PendingUpdate]) throws {
        let told = try SQLRows("told", waiting, Self.waitingColumns, first: 2)
        try self.run(
            """
            DELETE FROM activity_waiting\(" USING ", told)
            WHERE activity_waiting.batch = \(told["batch"]) AND activity_waiting.position = \(told["position"])
            """
        )
    }

    private func insert<Row>(
        _ rows: [Row],
        into table: StaticString,
        _ columns: @autoclosure () -> Columns<Row>,
        onConflict action: @autoclosure () -> SQL? = nil
    ) throws {
        if rows.isEmpty { return }
        let told = try SQLRows("told", rows, columns())
        let insert: SQL = "INSERT INTO \(SQL(stringLiteral: table)) \(told.insert())"
        try self.run(action().map { "\(insert) ON CONFLICT \($0)" } ?? insert)
    }

    /// Updates rows in their columns before `count`; the first column is the number that identifies a row.
    private func update<Row>(
        _ table: StaticString,
        _ rows: [Row],
        _ columns: @autoclosure () -> Columns<Row>,
        first count: Int
    ) throws {
        if rows.isEmpty { return }
        let table = SQL(stringLiteral: table)
        let told = try SQLRows("told", rows, columns(), first: count)
        try self.run(
            """
            UPDATE \(table) SET \(told.assignments(1..<count))\(" FROM ", told)
            WHERE \(table).number = \(told["number"])
            """
        )
    }

    /// The columns of activities that change: 16 with each change, then those of the schedule.
    ///
    /// PostgreSQL has the last one in another table.
    private static var activityColumns: Columns<ActivityRow> {
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
            "content_state": { .content($0.lifecycle.contentState?.bytes) },
            "alert": { .contentText(try $0.lifecycle.alert.map(StoredJSON.encode)) },
            "budget": { .integer($0.lifecycle.budget?.stored) },
            "ended_at": { .time($0.lifecycle.endedAt) },
            "transition_due_at": { .time($0.transitionDueAt) },
            "left_to_send": { .number($0.sendingOn?.left ?? 0) },
            "sent_through": { .integer($0.sendingOn?.place ?? 0) },
            "due_at": { .time($0.dueAt) },
        ]
    }

    /// The columns of devices: 6 that change with each push, 8 that change with the device, and the others.
    private static var participantColumns: Columns<ParticipantRow> {
        [
            "number": { .integer($0.number) },
            "position": { .number($0.position) },
            "sent_version": { .number($0.participant.lastSentVersion) },
            "former_version": { .number($0.participant.formerVersion) },
            "batch": { .id($0.batch?.value) },
            "recent_pushes": { .bytes($0.participant.recent.bytes) },
            "state": { .number($0.participant.storedState.number) },
            "environment": { .environment($0.participant.environment) },
            "origin": { .number($0.participant.origin.stored) },
            "token": { .token($0.participant.token?.bytes) },
            "token_issued_at": { .time($0.participant.tokenIssuedAt) },
            "started_at": { .time($0.participant.startedAt) },
            "frequent_updates": { .number($0.participant.frequentUpdates.map { $0 ? 1 : 0 }) },
            "reason": { .text($0.participant.storedState.reason) },
            "activity": { .integer($0.activity) },
            "installation": { .identifier($0.participant.installation) },
            "joined_at": { .time($0.participant.joinedAt) },
        ]
    }

    /// The columns of transitions: the key, the columns that change when a transition ends, and the others.
    private static var transitionColumns: Columns<PlannedTransition> {
        [
            "activity": { .integer($0.activity) },
            "key": { .identifier($0.transition.key) },
            "state": { .number($0.transition.storedState) },
            "ended_at": { .time($0.transition.endedAt) },
            "due_at": { .time($0.transition.dueAt) },
            "planned_at": { .time($0.transition.scheduledAt) },
            "plan": { .contentText(try StoredTransition.encode($0.transition.plan)) },
        ]
    }

    private static var waitingColumns: Columns<PendingUpdate> {
        [
            "batch": { .id($0.batch.value) },
            "position": { .number($0.position) },
            "participant": { .integer($0.participant) },
        ]
    }
}
