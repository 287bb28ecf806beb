// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension ActivityStore where Self: SQLBacked {
    public func createActivity(
        _ activity: Activity,
        startingOn installations: [DeviceID],
        rollingOut rollout: ActivityRollout?,
        planning plans: [NewTransition],
        naming members: ActivityMembers,
        now: Date,
        noting note: IdempotencyRecordBuilder<ActivityUpdateResult>?
    ) async throws -> ActivityUpdateResult {
        try await self.sql.writeHandingOver { transaction in
            let app = try transaction.lockedNumber(of: activity.app)
            if let channel = activity.channel {
                let known = try transaction.lockedChannel(channel.name, app: app)
                guard known?.state == .active(channel.id) else {
                    let message =
                        "The channel '\(channel.name)' of the app was deleted. Bind the activity to another "
                        + "one."
                    throw StoreError(code: .notFound, message: message)
                }
            }
            var adopted: AdoptedParticipant?
            var inserted = try transaction.insert(activity, app: app)
            if inserted == nil {
                // An installation gives up an ID that its backend uses.
                adopted = try transaction.displace(activity, app: app, naming: members, installations, now: now)
                inserted = try transaction.insert(activity, app: app)
            }
            guard let row = inserted else { throw StoreError.taken("an activity '\(activity.id)'") }
            try transaction.insert(members, into: row)
            var snapshot = ActivitySnapshot(row)
            snapshot.plan = ActivityPlan(instants: activity.instants)
            snapshot.schema = try transaction.schemas(for: plans.map(\.change), of: [row])[row.attributesType]
            let receipt = try transaction.start(
                activity,
                on: installations.filter { $0 != adopted?.report.installation },
                rollingOut: rollout,
                planning: plans,
                adopting: adopted?.report,
                snapshot,
                now: now
            )
            if let adopted {
                try transaction.setSecret(adopted.secret, of: adopted.report.installation, inActivity: row.number)
            }
            try transaction.note(receipt, of: activity.app, note)
            return receipt
        }
    }

    public func start(
        on installations: [DeviceID],
        rollingOut rollout: ActivityRollout?,
        activity: ActivityID,
        of app: AppID,
        now: Date,
        noting note: IdempotencyRecordBuilder<ActivityUpdateResult>?
    ) async throws -> ActivityUpdateResult? {
        try await self.sql.writeHandingOver { transaction in
            guard let row = try transaction.lockedActivityRow(activity, of: app) else { return nil }
            let receipt = try transaction.start(
                transaction.activity(row),
                on: installations,
                rollingOut: rollout,
                ActivitySnapshot(row),
                now: now
            )
            try transaction.note(receipt, of: app, note)
            return receipt
        }
    }

    public func estimateStart(
        of activity: Activity,
        on installations: [DeviceID],
        now: Date
    ) async throws -> ActivityUpdateResult {
        try await self.sql.snapshot { reader in
            let app = try reader.activityApp(activity.app)
            let known = try reader.activityRows([activity.id], app: app, activity.app).first
            var snapshot = ActivitySnapshot(known ?? ActivityRow(activity, number: 0, app: app))
            try reader.loadStart(on: installations, &snapshot)
            let writes = try decide(.start(activity, on: installations), on: snapshot, at: now)
            var receipt = writes.receipt(entry: nil, notification: nil)
            receipt.sent = writes.started.counts.startsSent
            return receipt
        }
    }

    public func receive(
        _ upload: UpdateTokenRegistration,
        for activity: ActivityID,
        of app: AppID,
        creating draft: Activity?,
        now: Date
    ) async throws -> ActivityUpdateResult? {
        try await self.sql.writeHandingOver { transaction in
            let number = try transaction.lockedNumber(of: app)
            let known = try transaction.activityRows([activity], app: number, app).first
            let new = known == nil ? try draft.flatMap { try transaction.create($0, by: upload, app: number) } : nil
            // A concurrent transaction may have created it.
            guard let row = try known ?? new ?? transaction.activityRows([activity], app: number, app).first else {
                return nil
            }
            let claim = try transaction.claim(of: upload.installation, inActivity: row.number, upload.access)
            var snapshots = [ActivitySnapshot(row)]
            if row.joined > 0 {
                let names = [upload.installation]
                snapshots[0].participants = try transaction.participantRows(names, ofActivity: row.number)
                try transaction.loadBatches(&snapshots)
            }
            let secret = try claim?.secret(of: upload, now: now)
            var writes = ActivityWrites(snapshots[0], at: now)
            if let draft, new != nil { try writes.decide(.register(draft), on: snapshots[0]) }
            try writes.decide(.receiveToken(upload), on: snapshots[0])
            let changes = try transaction.apply([writes], now: now)
            if let secret { try transaction.setSecret(secret, of: upload.installation, inActivity: row.number) }
            return changes.writes[0].receipt(entry: writes.entries.count - 1, notification: changes.notificationID)
        }
    }

    public func leave(
        _ departure: ActivityEndReport,
        from activity: ActivityID,
        of app: AppID,
        now: Date
    ) async throws -> Bool {
        try await self.sql.write { transaction in
            guard let row = try transaction.lockedActivityRow(activity, of: app) else { return false }
            let claim = try transaction.claim(of: departure.installation, inActivity: row.number, departure.access)
            var snapshot = ActivitySnapshot(row)
            snapshot.participants = try transaction.participantRows([departure.installation], ofActivity: row.number)
            if !snapshot.participants.isEmpty { try claim?.check(departure, now: now) }
            let changes = try transaction.apply(.leave(departure), to: snapshot, now: now)
            return !changes.writes[0].participants.isEmpty
        }
    }
}

extension SQLTransaction {
    /// Starts an activity on devices, or adds a new activity to its timeline.
    fileprivate func start(
        _ activity: Activity,
        on installations: [DeviceID],
        rollingOut rollout: ActivityRollout?,
        planning plans: [NewTransition] = [],
        adopting report: UpdateTokenRegistration? = nil,
        _ snapshot: ActivitySnapshot,
        now: Date
    ) throws -> ActivityUpdateResult {
        let isNew = snapshot.row.entries == 0
        var snapshot = snapshot
        var writes = ActivityWrites(snapshot, at: now)
        if isNew { try writes.addChannel() }
        if !isNew || !installations.isEmpty || rollout != nil {
            guard activity.startPayload != nil else {
                throw StoreError.invalid(ActivityError.notStartable.message)
            }
            guard installations.count <= ActivityLimit.participantsAtOnce else {
                let message = "One call starts at most \(ActivityLimit.participantsAtOnce) devices. Make several calls."
                throw StoreError.invalid(message)
            }
        }
        if !installations.isEmpty {
            try self.loadStart(on: installations, &snapshot)
            try writes.decide(.start(activity, on: installations), on: snapshot)
        } else if isNew {
            try writes.decide(.register(activity), on: snapshot)
        }
        let entry = writes.entries.indices.last
        if let report {
            var own = snapshot
            own.participants = []
            try writes.decide(.receiveToken(report), on: own)
        }
        // A refusal rolls the activity back.
        if !plans.isEmpty { try writes.decide(.schedule(plans), on: snapshot) }
        let changes = try self.apply([writes], now: now)
        var receipt = changes.writes[0].receipt(entry: entry, notification: changes.notificationID)
        if let rollout {
            try self.add(rollout, to: writes.row)
            receipt.rollout = rollout
        }
        return receipt
    }
}

extension SQLExecutor {
    /// Reads the inputs of a start on devices: the participants among them, with the channel, and the tokens of the
    /// others.
    func loadStart(on installations: [DeviceID], _ snapshot: inout ActivitySnapshot) throws {
        let row = snapshot.row
        if row.joined > 0 {
            var names = Array(Set(installations))
            if row.channel != nil { names.append(ActivityParticipant.channelInstallation) }
            snapshot.participants = try self.participantRows(names, ofActivity: row.number)
        }
        let known = snapshot.participants.filter { !$0.canBeStarted }.map(\.participant.installation)
        let new = Array(Set(installations).subtracting(known))
        snapshot.startTokens = try self.pushToStartTokens(of: row.attributesType, app: row.app, row.appID, new)
    }
}
