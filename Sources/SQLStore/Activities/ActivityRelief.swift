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
        ).map { row -> WaitingPush in
            let position = Int(clamping: try row.int64("position"))
            return WaitingPush(batch: batch.id, position: position, participant: try row.int64("participant"))
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
        let activities = try readable(Set(numbers.map(ParticipantNumber.activity)).sorted(), in: "activities") {
            try self.activityRows(numbers: $0)
        }
        let known = Set(activities.map(\.number))
        var phones: [Int64: ParticipantRow] = [:]
        let found = try readable(numbers.sorted(), in: "activity_participants") {
            try self.participantRows(numbers: $0)
        }
        for phone in found where known.contains(phone.activity) { phones[phone.number] = phone }
        guard let first = activities.first else { return try self.remove(free) }
        var round = ActivityRound(app: first.app, appID: first.appID, now: now, activities)
        var behind = Set(free.map(\.participant))
        let isNamed = lost.contains { $0.outcome.namesToken || $0.outcome.namesChannel }
        let targets = try isNamed ? readable(batch.id, in: "batch_contents") { try self.targets(of: batch) } ?? [] : []
        for failure in lost {
            let number = sentTo[failure.index]
            guard var phone = phones[number] else { continue }
            try self.lose(failure, to: &phone, of: batch, targets, in: &round)
            phones[number] = phone
            if phone.participant.target != nil, failure.outcome.namesToken { behind.insert(number) }
        }
        if !free.isEmpty { try self.remove(free) }
        var drafts: [Int64: Int] = [:]
        for row in activities { drafts[row.number] = round.note(.caughtUp, of: row.number) }
        try round.bringUpToDate(behind.sorted().compactMap { phones[$0] }, drafts: drafts, on: self)
        try round.finish(on: self)
    }

    /// Records that a push did not reach its device.
    private func lose(
        _ failure: Settlement.Failure,
        to phone: inout ParticipantRow,
        of batch: BatchRow,
        _ targets: TargetList,
        in round: inout ActivityRound
    ) throws {
        let isLast = phone.batch == batch.id && phone.position == failure.index
        if isLast {
            phone.participant.miss()
            phone.batch = nil
            round.changed[phone.number] = phone
        }
        guard case .rejected(let rejection) = failure.outcome,
            failure.outcome.namesToken || phone.participant.origin == .channel && failure.outcome.namesChannel,
            targets.indices.contains(failure.index)
        else { return }
        let target = targets[failure.index]
        if phone.participant.origin == .push, phone.participant.token != target.token,
            let row = round.rows[phone.activity]
        {
            // Unless the device registered another one since.
            try self.run(
                """
                DELETE FROM push_to_start_tokens WHERE app = \(row.app) AND attributes_type = \(row.attributesType)
                    AND installation = \(phone.participant.installation) AND token = \(target.token.bytes)
                    AND environment = \(target.environment)
                """
            )
        }
        guard phone.participant.lose(target, reason: rejection.reason, isLast: isLast) else { return }
        round.changed[phone.number] = phone
        guard phone.participant.origin != .channel else {
            round.note(.channelGone, of: phone.activity, detail: rejection.reason.rawValue)
            guard let row = round.rows[phone.activity], let channel = row.channel else { return }
            round.events.append(
                .channelGone(channel.name, from: row.id, of: row.appID, reason: rejection.reason, time: round.now)
            )
            return
        }
        round.tellOfGone(phone, reason: rejection.reason.rawValue)
    }
}

extension BatchRow {
    /// The position before which targets can have an outcome, or can be superseded.
    var endOfRelief: Int {
        if case .waiting = self.lifecycle.state { return self.lifecycle.targetCount }
        return self.lifecycle.state.isFinal ? self.lifecycle.targetCount : self.lifecycle.cursor
    }
}

extension Outcome {
    /// Whether APNs rejected the channel of a broadcast.
    fileprivate var namesChannel: Bool {
        guard case .rejected(let rejection) = self else { return false }
        return rejection.reason == .channelNotRegistered || rejection.reason == .badChannelID
    }

    /// Whether APNs rejected the token.
    fileprivate var namesToken: Bool {
        guard case .rejected(let rejection) = self else { return false }
        return rejection.nextStep == .pruneToken || rejection.nextStep == .suspectToken
    }
}
