// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension SQLTransaction {
    /// Decides on one locked activity, and writes the decision.
    @discardableResult
    func apply(_ command: ActivityCommand, to snapshot: ActivitySnapshot, now: Date) throws -> ActivityChangeSet {
        try self.apply([decide(command, on: snapshot, at: now)], now: now)
    }

    /// Writes decisions on locked activities of one app.
    @discardableResult
    func apply(
        _ writes: [ActivityWrites],
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
        // The rows of activities after the rows that refer to them: PostgreSQL then finds the activities as they were
        // locked, and does not lock the new versions for the foreign keys.
        try self.writeParticipants(of: changes)
        let waiting = changes.writes.flatMap(\.waiting)
        if !waiting.isEmpty { try self.insert(waiting) }
        let entries = changes.writes.flatMap { $0.entries.filter(\.isTold) }
        if !entries.isEmpty { try self.append(entries) }
        try self.update(changes.writes.lazy.filter(\.isChanged).map(\.row))
        for (row, positions) in changes.superseded.values {
            var batch = row
            let given = batch.lifecycle.supersede(positions)
            try self.supersede(given, of: batch, now: changes.time)
        }
        for write in changes.writes {
            for (installation, target) in write.rejectedStarts {
                // Unless the device registered another one since.
                try self.run(
                    """
                    DELETE FROM push_to_start_tokens WHERE app = \(app) AND attributes_type = \(write.row.attributesType)
                        AND installation = \(installation) AND token = \(target.token.bytes)
                        AND environment = \(target.environment)
                    """
                )
            }
            for event in write.events { self.append(event, app: app) }
        }
        if isPlanned || changes.writes.contains(where: { $0.row.sendingOn != nil }) { self.signal(.activitiesDue) }
    }

    /// Writes instants and transitions; returns whether transitions were scheduled or moved.
    private func writePlans(of changes: ActivityChangeSet) throws -> Bool {
        var changed: [(activity: Int64, transition: ActivityTransition)] = []
        var ended: [(activity: Int64, transition: ActivityTransition)] = []
        for write in changes.writes {
            guard let plan = write.plan else { continue }
            if plan.isMoved { try self.write(plan.instants, ofActivity: write.row.number) }
            changed += plan.changed.map { (write.row.number, $0) }
            ended += plan.ended.map { (write.row.number, $0) }
        }
        if !changed.isEmpty { try self.write(changed) }
        if !ended.isEmpty { try self.end(ended) }
        return !changed.isEmpty
    }

    private func writeParticipants(of changes: ActivityChangeSet) throws {
        var sent: [ParticipantRow] = []
        var added: [ParticipantRow] = []
        var changed: [ParticipantRow] = []
        for write in changes.writes {
            for device in write.participants {
                switch device.kind {
                case .sent: sent.append(device.row)
                case .added: added.append(device.row)
                case .changed: changed.append(device.row)
                }
            }
        }
        if !sent.isEmpty { try self.updateSends(sent) }
        if !added.isEmpty { try self.insert(added) }
        if !changed.isEmpty { try self.update(changed) }
    }

    /// Stores the batches that send the pushes, with their notification.
    private func send(_ changes: ActivityChangeSet, app: Int64) throws {
        if changes.batches.isEmpty { return }
        var claims: [BatchID: ClaimedBatch] = [:]
        if let notification = changes.notification {
            try self.insert(notification, app: app)
            let ready = changes.batches.filter { $0.sendAt == nil }.map(\.batch)
            claims = self.handOver?.take(ready, now: notification.createdAt) ?? [:]
        }
        try self.insert(changes.batches.map { BatchDraft($0, isActivity: true) }, claimed: claims, app: app)
        let told = try SQLRows(
            "told",
            Array(zip(changes.batches, changes.devices)),
            [
                "batch": { .id($0.0.batch.id.value) },
                "participants": { .bytes(ParticipantList.encode($0.1)) },
            ]
        )
        try self.run("INSERT INTO activity_batches \(told.insert())")
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
    private func supersede(_ positions: [Int], of batch: BatchRow, now: Date) throws {
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
