// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension SQLDatabase {
    /// Relieves a batch that a transaction marked on PostgreSQL; see
    /// ``SQLTransaction/updateActivities(waitingFor:failures:now:)``.
    ///
    /// The mark stays if it throws.
    func relieveActivities(waitingFor batch: BatchID, now: Date) async throws {
        try await self.write { transaction in
            let found = try transaction.first("SELECT * FROM batches WHERE id = \(batch.value) AND needs_relief")
            guard let found else { return }
            guard let row = try found.readable(in: "batches", { try BatchRow(stored: $0) }) else {
                // The devices that wait for a corrupt batch are unknown. The next change is sent to all devices.
                try transaction.run("UPDATE batches SET needs_relief = false WHERE id = \(batch.value)")
                return
            }
            let failures = try transaction.activityFailures(of: batch, in: 0..<row.lifecycle.targetCount)
                .map { Settlement.Failure(index: $0.key, outcome: $0.value) }
            try transaction.relieve(row, failures: failures, now: now)
            // A later change of the batch marks it again. If it came before this statement, the mark stays.
            try transaction.run(
                """
                UPDATE batches SET needs_relief = false
                WHERE id = \(batch.value) AND next_target = \(row.lifecycle.cursor)
                    AND state = \(row.lifecycle.state.number) AND deferred IS NOT DISTINCT FROM \(row.storedDeferred)
                """
            )
        }
    }
}

extension SQLTransaction {
    /// Sends the latest state to devices that waited for a batch, and records the devices that the batch did not reach.
    ///
    /// `failures` are the targets that failed, without those that are left of a batch that ended.
    /// ``updateActivities(waitingFor:failures:now:)`` decides in which transaction this is done.
    func relieve(_ batch: BatchRow, failures: [Settlement.Failure], now: Date) throws {
        let lifecycle = batch.lifecycle
        var failures = failures
        if let remainder = lifecycle.remainder {
            failures += (0..<lifecycle.targetCount).filter { !lifecycle.isSettled($0) }
                .map { Settlement.Failure(index: $0, outcome: .failed(remainder)) }
        }
        let free = try self.rows(
            """
            SELECT position, participant FROM activity_waiting
            WHERE batch = \(batch.id.value) AND position < \(batch.endOfRelief) ORDER BY position
            """
        ).map { row -> PendingUpdate in
            (batch.id, Int(clamping: try row.int64("position")), try row.int64("participant"))
        }.filter { push in
            lifecycle.state.isFinal || lifecycle.isSettled(push.position)
                // It waits for its time, and is superseded.
                || lifecycle.waitingTime(of: push.position) != nil
        }
        guard !failures.isEmpty || !free.isEmpty else { return }
        // Corrupt contents must not keep the batch from being settled.
        var sentTo: [Int64] = []
        if !failures.isEmpty {
            _ = try readable(batch.id, in: "activity_batches") {
                let row = try self.first("SELECT participants FROM activity_batches WHERE batch = \(batch.id.value)")
                if let row { sentTo = try ParticipantList.decode(row.blob("participants")) }
            }
        }
        let lost = failures.filter { sentTo.indices.contains($0.index) }
        let numbers = Set(lost.map { sentTo[$0.index] } + free.map(\.participant))
        // The activities first: as long as they are locked, no other transaction changes their devices.
        let activities = try readable(Set(numbers.map(ParticipantRowID.activity)).sorted(), in: "activities") {
            try self.activityRows(numbers: $0)
        }
        var snapshots = activities.map(ActivitySnapshot.init)
        let places = Dictionary(activities.enumerated().map { ($1.number, $0) }) { first, _ in first }
        let devices = try readable(numbers.sorted(), in: "activity_participants") {
            try self.participantRows("number \(each: $0) ORDER BY number")
        }
        for device in devices {
            if let place = places[device.activity] { snapshots[place].participants.append(device) }
        }
        if activities.isEmpty { return try self.remove(free) }
        let isNamed = lost.contains { $0.outcome.namesToken || $0.outcome.namesChannel }
        let targets = try isNamed ? readable(batch.id, in: "batch_contents") { try self.targets(of: batch) } ?? [] : []
        let pushes = lost.map { failure -> PushFailure in
            let target = targets.indices.contains(failure.index) ? targets[failure.index] : nil
            return (sentTo[failure.index], failure.index, failure.outcome, target)
        }
        let failed = Dictionary(grouping: pushes) { ParticipantRowID.activity(of: $0.participant) }
        let waiting = Dictionary(grouping: free.map(\.participant), by: ParticipantRowID.activity)
        if !free.isEmpty { try self.remove(free) }
        try self.loadBatches(&snapshots)
        try self.apply(
            snapshots.map { snapshot in
                let number = snapshot.row.number
                return try decide(
                    .handleOutcomes(batch.id, failed[number] ?? [], waiting: Set(waiting[number] ?? [])),
                    on: snapshot,
                    at: now
                )
            },
            now: now
        )
    }
}

extension BatchRow {
    /// The position before which targets can have an outcome, or can be superseded.
    var endOfRelief: Int {
        if case .waiting = self.lifecycle.state { return self.lifecycle.targetCount }
        return self.lifecycle.state.isFinal ? self.lifecycle.targetCount : self.lifecycle.cursor
    }
}
