// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension SQLTransaction {
    /// Stores an activity, and starts it on devices; see
    /// ``ActivityStore/createActivity(_:inviting:rollingOut:planning:now:noting:)``.
    func create(
        _ activity: Activity,
        inviting installations: [InstallationID],
        rollingOut rollout: ActivityRollout?,
        now: Date
    ) throws -> ActivityReceipt {
        let app = try self.lockedNumber(of: activity.app)
        if let channel = activity.channel { try self.check(channel, app: app) }
        guard var row = try self.insert(activity, app: app) else {
            throw StoreError.taken("an activity '\(activity.id)'")
        }
        var round = ActivityRound(app: app, appID: activity.app, now: now)
        if let channel = activity.channel {
            let participant = ActivityParticipant(channel, version: row.lifecycle.version, now: now)
            round.added.append(ParticipantRow(number: try row.nextParticipant(), participant))
        }
        round.set(row)
        guard !installations.isEmpty || rollout != nil else {
            let draft = round.note(.registered, of: row.number)
            round.drafts[draft].tell(beginning: activity)
            try round.finish(on: self)
            return try round.receipt(draft, of: row.number, notification: nil)
        }
        return try self.invite(installations, rollingOut: rollout, to: activity, number: row.number, &round)
    }

    /// Locks the channel to which an activity is bound.
    ///
    /// - Throws: ``StoreError`` `.notFound` if it was deleted.
    private func check(_ channel: ActivityChannel, app: Int64) throws {
        let known = try self.lockedChannel(channel.name, app: app)
        guard known?.state == .active(channel.id) else {
            throw StoreError(
                code: .notFound,
                message: "The app has no channel '\(channel.name)' any more. Bind the activity to another one."
            )
        }
    }

    /// Starts an activity on more devices; see ``ActivityStore/invite(_:rollingOut:to:of:now:noting:)``.
    func invite(
        _ installations: [InstallationID],
        rollingOut rollout: ActivityRollout?,
        to activity: ActivityID,
        of app: AppID,
        now: Date
    ) throws -> ActivityReceipt? {
        let number = try self.lockedNumber(of: app)
        guard let row = try self.activityRow(activity, app: number) else { return nil }
        var round = ActivityRound(app: number, appID: app, now: now)
        round.set(row)
        let activity = try self.activity(row)
        return try self.invite(installations, rollingOut: rollout, to: activity, number: row.number, &round)
    }

    private func invite(
        _ installations: [InstallationID],
        rollingOut rollout: ActivityRollout?,
        to activity: Activity,
        number: Int64,
        _ round: inout ActivityRound
    ) throws -> ActivityReceipt {
        guard activity.startPayload != nil else {
            throw StoreError(code: .invalid, message: ActivityRefusal.notStartable.message)
        }
        guard installations.count <= ActivityLimit.participantsAtOnce else {
            throw StoreError(
                code: .invalid,
                message: "One call invites at most \(ActivityLimit.participantsAtOnce) phones. Make several calls."
            )
        }
        var started = StartedPhones()
        var draft: Int?
        if !installations.isEmpty {
            let entry = round.note(.started, of: number)
            round.drafts[entry].tell(beginning: activity)
            draft = entry
            started = try self.start(on: installations, activity: activity, number: number, draft: entry, in: &round)
        } else if round.rows[number]?.entries == 0 {
            let entry = round.note(.registered, of: number)
            round.drafts[entry].tell(beginning: activity)
            draft = entry
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

extension SQLExecutor {
    /// Estimates what the start of an activity would send; see ``ActivityStore/estimateStart(of:on:now:)``.
    func estimateStart(
        of activity: Activity,
        on installations: [InstallationID],
        now: Date
    ) throws -> ActivityReceipt {
        let app = try self.activityApp(activity.app)
        let row = try self.activityRow(activity.id, app: app) ?? ActivityRow(activity, number: 0, app: app)
        var round = ActivityRound(app: app, appID: activity.app, now: now)
        round.load(row)
        let draft = round.note(.started, of: row.number)
        let started = try self.start(
            on: installations,
            activity: activity,
            number: row.number,
            draft: draft,
            in: &round
        )
        return ActivityReceipt(
            version: row.lifecycle.version,
            state: row.lifecycle.state,
            sent: started.counts.invited,
            unreachable: started.unreachable,
            takingPart: started.counts.takingPart
        )
    }

    /// Starts an activity on devices that do not take part, or on which an earlier start failed.
    ///
    /// `installations` has at most 10,000 elements. Without `sendAt`, the pushes are sent at once.
    func start(
        on installations: [InstallationID],
        activity: Activity,
        number: Int64,
        draft: Int,
        sendAt: Date? = nil,
        in round: inout ActivityRound
    ) throws -> StartedPhones {
        guard var row = round.rows[number] else { throw StoreError.damaged("activity") }
        let known = row.joined == 0 ? [] : try self.participantRows(installations, ofActivity: number)
        let again = known.filter(\.canBeInvited)
        let showing = Set(known.map(\.participant.installation)).subtracting(again.map(\.participant.installation))
        var seen = showing
        let new = installations.filter { seen.insert($0).inserted }
        let tokens = try self.pushToStartTokens(
            of: row.attributesType,
            app: row.app,
            appID: row.appID,
            installations: new
        )
        let found = Dictionary(tokens.map { ($0.installation, $0) }) { first, _ in first }
        let hasChannel = try self.hasChannel(row)
        var places: [LiveActivityInput: Int] = [:]
        let former = Dictionary(again.map { ($0.participant.installation, $0) }) { first, _ in first }
        let (version, priority) = (row.lifecycle.version, row.lifecycle.priority)
        var started = StartedPhones()
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
                phone = ParticipantRow(number: try row.nextParticipant(), participant)
                round.added.append(phone)
            }
            round.start(
                phone.number,
                at: token.target,
                payload: place,
                priority: priority,
                draft: draft,
                sendAt: sendAt
            )
            started.counts.invited += 1
        }
        if !places.isEmpty, row.channel == nil { row.lifecycle.invite(at: round.now) }
        round.set(row)
        return started
    }

    /// Whether the channel of an activity exists, as far as APNs reported.
    private func hasChannel(_ row: ActivityRow) throws -> Bool {
        guard row.channel != nil, row.joined > 0 else { return true }
        let found = try self.participantRows([ActivityParticipant.channelInstallation], ofActivity: row.number)
        if case .gone? = found.first(where: { $0.participant.origin == .channel })?.participant.state { return false }
        return true
    }
}

extension SQLTransaction {
    /// Stores the update token of a device; see ``ActivityStore/receive(_:for:of:creating:now:)``.
    func receive(
        _ upload: ActivityTokenUpload,
        for activity: ActivityID,
        of app: AppID,
        creating draft: Activity?,
        now: Date
    ) throws -> ActivityReceipt? {
        let number = try self.lockedNumber(of: app)
        var round = ActivityRound(app: number, appID: app, now: now)
        let known = try self.activityRow(activity, app: number)
        let new = known == nil ? try draft.flatMap { try self.insert($0, app: number) } : nil
        // A concurrent transaction may have created it.
        let made = known == nil && new == nil ? try self.activityRow(activity, app: number) : nil
        guard var row = known ?? new ?? made else { return nil }
        round.set(row)
        if let draft, new != nil {
            let entry = round.note(.registered, of: row.number)
            round.drafts[entry].tell(beginning: draft)
        }
        var phone: ParticipantRow
        let arrival: ActivityParticipant.Arrival
        if let known = try self.participantRows([upload.installation], ofActivity: row.number).first {
            phone = known
            arrival = phone.participant.receive(upload, joining: row.lifecycle, now: now)
            if phone.participant != known.participant { round.changed[phone.number] = phone }
        } else {
            let participant = ActivityParticipant(upload, joining: row.lifecycle, now: now)
            phone = ParticipantRow(number: try row.nextParticipant(), participant)
            round.added.append(phone)
            arrival = .arrived
        }
        if let startedAt = phone.participant.startedAt, row.channel == nil { row.lifecycle.start(at: startedAt) }
        round.set(row)
        let entry: Int
        switch arrival {
        case .known: entry = round.note(.caughtUp, of: row.number, installation: upload.installation)
        case .arrived: entry = round.note(.tokenArrived, of: row.number, installation: upload.installation)
        case .rotated: entry = round.note(.tokenRotated, of: row.number, installation: upload.installation)
        }
        // With very many devices, an entry for each would remove all earlier entries.
        round.drafts[entry].isTold = row.namesParticipants
        try round.bringUpToDate([phone], drafts: [row.number: entry], on: self)
        let notification = try round.finish(on: self)
        return try round.receipt(entry, of: row.number, notification: notification)
    }

    /// Records that a device does not show an activity any more; see ``ActivityStore/leave(_:from:of:now:)``.
    func leave(
        _ departure: ActivityDeparture,
        from activity: ActivityID,
        of app: AppID,
        now: Date
    ) throws -> Bool {
        let number = try self.lockedNumber(of: app)
        guard let row = try self.activityRow(activity, app: number), !row.lifecycle.state.isOver,
            var phone = try self.participantRows([departure.installation], ofActivity: row.number).first,
            phone.participant.leave(departure, now: now)
        else { return false }
        var round = ActivityRound(app: number, appID: app, now: now)
        round.load(row)
        round.changed[phone.number] = phone
        round.tellOfGone(phone, reason: departure.reason.rawValue)
        try round.finish(on: self)
        return true
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
