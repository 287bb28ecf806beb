// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension ActivityStore where Self: SQLBacked {
    public func createActivity(
        _ activity: Activity,
        inviting installations: [InstallationID],
        rollingOut rollout: ActivityRollout?,
        planning plans: [TransitionPlan],
        now: Date,
        noting note: AnswerNote<ActivityReceipt>?
    ) async throws -> ActivityReceipt {
        try await self.sql.writeHandingOver { transaction in
            let app = try transaction.lockedNumber(of: activity.app)
            if let channel = activity.channel {
                let known = try transaction.lockedChannel(channel.name, app: app)
                guard known?.state == .active(channel.id) else {
                    let message = "The app has no channel '\(channel.name)' any more. Bind the activity to another one."
                    throw StoreError(code: .notFound, message: message)
                }
            }
            guard var row = try transaction.insert(activity, app: app) else {
                throw StoreError.taken("an activity '\(activity.id)'")
            }
            var round = ActivityRound(row, now: now)
            if let channel = activity.channel {
                let participant = ActivityParticipant(channel, version: row.lifecycle.version, now: now)
                round.added.append(ParticipantRow(number: try row.nextParticipant(), participant: participant))
            }
            round.set(row)
            let receipt: ActivityReceipt
            if installations.isEmpty, rollout == nil {
                let draft = round.note(.registered, of: row.number, telling: activity.beginning)
                try round.finish(on: transaction)
                receipt = try round.receipt(draft, of: row.number, notification: nil)
            } else {
                receipt = try transaction.invite(installations, rollingOut: rollout, to: activity, row, &round)
            }
            if !plans.isEmpty,
                case .refused(let refusal)? = try transaction.plan(plans, for: activity.id, of: activity.app, now: now)
            {
                // The error rolls the activity back.
                throw refusal
            }
            try transaction.note(receipt, of: activity.app, note)
            return receipt
        }
    }

    public func invite(
        _ installations: [InstallationID],
        rollingOut rollout: ActivityRollout?,
        to activity: ActivityID,
        of app: AppID,
        now: Date,
        noting note: AnswerNote<ActivityReceipt>?
    ) async throws -> ActivityReceipt? {
        try await self.sql.writeHandingOver { transaction in
            guard let row = try transaction.lockedActivityRow(activity, of: app) else { return nil }
            var round = ActivityRound(row, now: now)
            round.set(row)
            let activity = try transaction.activity(row)
            let receipt = try transaction.invite(installations, rollingOut: rollout, to: activity, row, &round)
            try transaction.note(receipt, of: app, note)
            return receipt
        }
    }

    public func estimateStart(
        of activity: Activity,
        on installations: [InstallationID],
        now: Date
    ) async throws -> ActivityReceipt {
        try await self.sql.snapshot { reader in
            let app = try reader.activityApp(activity.app)
            let row = try reader.activityRow(activity.id, app: app) ?? ActivityRow(activity, number: 0, app: app)
            var round = ActivityRound(row, now: now)
            let draft = round.note(.started, of: row.number)
            let started = try reader.start(on: installations, activity, draft: draft, in: &round)
            return ActivityReceipt(
                version: row.lifecycle.version,
                state: row.lifecycle.state,
                sent: started.counts.invited,
                unreachable: started.unreachable,
                takingPart: started.counts.takingPart
            )
        }
    }

    public func receive(
        _ upload: ActivityTokenUpload,
        for activity: ActivityID,
        of app: AppID,
        creating draft: Activity?,
        now: Date
    ) async throws -> ActivityReceipt? {
        try await self.sql.writeHandingOver { transaction in
            let number = try transaction.lockedNumber(of: app)
            let known = try transaction.activityRow(activity, app: number)
            let new = known == nil ? try draft.flatMap { try transaction.insert($0, app: number) } : nil
            // A concurrent transaction may have created it.
            let made = known == nil && new == nil ? try transaction.activityRow(activity, app: number) : nil
            guard var row = known ?? new ?? made else { return nil }
            var round = ActivityRound(row, now: now)
            if let draft, new != nil { round.note(.registered, of: row.number, telling: draft.beginning) }
            var phone: ParticipantRow
            let arrival: ActivityParticipant.Arrival
            if let known = try transaction.participantRows([upload.installation], ofActivity: row.number).first {
                phone = known
                arrival = phone.participant.receive(upload, joining: row.lifecycle, now: now)
                if phone.participant != known.participant { round.changed[phone.number] = phone }
            } else {
                let participant = ActivityParticipant(upload, joining: row.lifecycle, now: now)
                phone = ParticipantRow(number: try row.nextParticipant(), participant: participant)
                round.added.append(phone)
                arrival = .arrived
            }
            if let startedAt = phone.participant.startedAt, row.channel == nil { row.lifecycle.start(at: startedAt) }
            round.set(row)
            let kind: TimelineEntry.Kind =
                switch arrival {
                case .known: .caughtUp
                case .arrived: .tokenArrived
                case .rotated: .tokenRotated
                }
            let entry = round.note(kind, of: row.number, installation: upload.installation)
            // With very many devices, an entry for each would remove all earlier entries.
            round.drafts[entry].isTold = row.namesParticipants
            try round.bringUpToDate([phone], drafts: [row.number: entry], on: transaction)
            let notification = try round.finish(on: transaction)
            return try round.receipt(entry, of: row.number, notification: notification)
        }
    }

    @discardableResult
    public func leave(
        _ departure: ActivityDeparture,
        from activity: ActivityID,
        of app: AppID,
        now: Date
    ) async throws -> Bool {
        try await self.sql.write { transaction in
            guard let row = try transaction.lockedActivityRow(activity, of: app), !row.lifecycle.state.isOver,
                var phone = try transaction.participantRows([departure.installation], ofActivity: row.number).first,
                phone.participant.leave(departure, now: now)
            else { return false }
            var round = ActivityRound(row, now: now)
            round.changed[phone.number] = phone
            round.tellOfGone(phone, reason: departure.reason.rawValue)
            try round.finish(on: transaction)
            return true
        }
    }
}

extension SQLTransaction {
    fileprivate func invite(
        _ installations: [InstallationID],
        rollingOut rollout: ActivityRollout?,
        to activity: Activity,
        _ row: ActivityRow,
        _ round: inout ActivityRound
    ) throws -> ActivityReceipt {
        guard activity.startPayload != nil else {
            throw StoreError.invalid(ActivityRefusal.notStartable.message)
        }
        guard installations.count <= ActivityLimit.participantsAtOnce else {
            let message = "One call invites at most \(ActivityLimit.participantsAtOnce) phones. Make several calls."
            throw StoreError.invalid(message)
        }
        let number = row.number
        var started: StartedPhones = (RolloutProgress.Counts(), [])
        var draft: Int?
        if !installations.isEmpty {
            let entry = round.note(.started, of: number, telling: activity.beginning)
            draft = entry
            started = try self.start(on: installations, activity, draft: entry, in: &round)
        } else if row.entries == 0 {
            draft = round.note(.registered, of: number, telling: activity.beginning)
        }
        let notification = try round.finish(on: self)
        var receipt = try round.receipt(draft, of: number, notification: notification, unreachable: started.unreachable)
        receipt.takingPart = started.counts.takingPart
        if let rollout, let row = round.rows[number] {
            try self.add(rollout, to: row)
            receipt.rollout = rollout
        }
        return receipt
    }
}

/// The result of the start of an activity on devices, with those that could not be sent to.
typealias StartedPhones = (counts: RolloutProgress.Counts, unreachable: [InstallationID])

extension SQLExecutor {
    /// Starts the activity of a draft on devices that do not take part, or on which an earlier start failed.
    ///
    /// `installations` has at most 10,000 elements. Without `sendAt`, the pushes are sent at once.
    func start(
        on installations: [InstallationID],
        _ activity: Activity,
        draft: Int,
        sendAt: Date? = nil,
        in round: inout ActivityRound
    ) throws -> StartedPhones {
        let number = round.drafts[draft].activity
        guard var row = round.rows[number] else { throw StoreError.damaged("activity") }
        let known = row.joined == 0 ? [] : try self.participantRows(installations, ofActivity: number)
        let again = known.filter(\.canBeInvited)
        let showing = Set(known.map(\.participant.installation)).subtracting(again.map(\.participant.installation))
        var seen = showing
        let new = installations.filter { seen.insert($0).inserted }
        let found = try self.pushToStartTokens(of: row.attributesType, app: row.app, row.appID, new)
        // As far as APNs reported.
        var hasChannel = true
        if row.channel != nil, row.joined > 0 {
            let channels = try self.participantRows([ActivityParticipant.channelInstallation], ofActivity: number)
            let channel = channels.first { $0.participant.origin == .channel }
            if case .gone? = channel?.participant.state { hasChannel = false }
        }
        var places: [LiveActivityInput: Int] = [:]
        let former = Dictionary(again.map { ($0.participant.installation, $0) }) { first, _ in first }
        let version = row.lifecycle.version
        let group = ActivityRound.Group(priority: row.lifecycle.priority, sendAt: sendAt)
        // If the start fails and the device joins nevertheless, it is sent the latest alert, and no earlier one.
        let formerVersion = max(0, round.drafts[draft].version - 1)
        var started: StartedPhones = (RolloutProgress.Counts(), [])
        started.counts.takingPart = showing.count
        for installation in new {
            guard let token = found[installation] else {
                started.counts.withoutToken += 1
                started.unreachable.append(installation)
                continue
            }
            // The device cannot subscribe to the channel, or not register a token as the activity wants.
            guard let input = activity.input(for: token, hasChannel: hasChannel),
                let payload = activity.startPayload(input)
            else {
                started.counts.otherEnvironment += 1
                started.unreachable.append(installation)
                continue
            }
            let place = places[input] ?? round.add(payload)
            places[input] = place
            let phone: ParticipantRow
            if var known = former[token.installation] {
                known.participant.invite(at: token, version: version)
                round.changed[known.number] = known
                phone = known
            } else {
                let participant = ActivityParticipant(inviting: token, version: version, now: round.now)
                phone = ParticipantRow(number: try row.nextParticipant(), participant: participant)
                round.added.append(phone)
            }
            // A start is sent to another token. It is unknown whether Apple counts it.
            round.pushes.append(
                ActivityRound.Push(
                    participant: phone.number,
                    draft: draft,
                    target: token.target,
                    payload: place,
                    group: group,
                    isCounted: false,
                    formerVersion: formerVersion
                )
            )
            started.counts.invited += 1
        }
        if !places.isEmpty, row.channel == nil { row.lifecycle.invite(at: round.now) }
        round.set(row)
        return started
    }
}

extension ActivityRound {
    /// Records that a device is sent nothing any more, unless the activity has very many devices.
    mutating func tellOfGone(_ phone: ParticipantRow, reason: String) {
        guard let row = self.rows[phone.activity], row.namesParticipants else { return }
        let installation = phone.participant.installation
        self.note(.participantGone, of: phone.activity, installation: installation, detail: reason)
        self.events.append(.gone(installation, from: row.id, of: row.appID, reason: reason, time: self.now))
    }
}
