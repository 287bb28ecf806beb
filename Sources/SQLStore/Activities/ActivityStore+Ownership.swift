// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
public import PushModel
public import PushStore

// Which activities a copy of the app may create and join, and whose participant it may change.

extension ActivityStore where Self: SQLBacked {
    public func name(_ members: ActivityMembers, in activity: ActivityID, of app: AppID) async throws -> Bool {
        try await self.sql.write { transaction in
            guard let row = try transaction.lockedActivityRow(activity, of: app) else { return false }
            try transaction.insert(members, into: row)
            return true
        }
    }
}

/// The stored values that decide about a report of a device of a locked activity.
struct ParticipantClaim {
    let result: any SQLResult

    /// The secret to store with the participant; `nil` if it is stored already.
    ///
    /// - Throws: `DeviceAccessError` if the caller may not join the activity, or has another secret.
    func secret(of report: UpdateTokenRegistration, now: Date) throws -> [UInt8]? {
        guard let row = try self.result.rows.first else { throw StoreError.damaged("activity") }
        let isParticipant = try row.int64("is_participant") == 1
        let isOwn = try row.text("owner") == report.installation.rawValue
        guard try isParticipant || isOwn || report.joins == .any || row.int64("named") > 0 else {
            throw DeviceAccessError.notParticipant
        }
        let secret = try self.secret(for: report.access, row, now: now)
        return try secret == row.bytes("participant_secret") ? nil : secret
    }

    /// Checks whether the caller may end the activity on the device.
    func check(_ report: ActivityEndReport, now: Date) throws {
        guard let row = try self.result.rows.first else { throw StoreError.damaged("activity") }
        _ = try self.secret(for: report.access, row, now: now)
    }

    /// The first secret of a participant counts, because another caller may register the device of its ID later.
    private func secret(for access: DeviceAccess, _ row: StoredRow, now: Date) throws -> [UInt8]? {
        let stored = try row.bytes("participant_secret") ?? row.bytes("device_secret")
        return try access.secret(replacing: stored, isNew: row.int64("is_registered") == 0, now: now)
    }
}

/// The participant of an activity that its backend created after the installation.
struct AdoptedParticipant {
    let report: UpdateTokenRegistration
    let secret: [UInt8]?
}

extension SQLTransaction {
    /// Reads whether a copy of the app may report about a device of a locked activity, without a wait for the result.
    ///
    /// - Returns: `nil` for a backend, which may report about each device.
    func claim(
        of installation: DeviceID,
        inActivity number: Int64,
        _ access: DeviceAccess
    ) throws -> ParticipantClaim? {
        guard access.isInstallation else { return nil }
        return ParticipantClaim(
            result: try self.run(
                """
                SELECT activities.owner, CASE WHEN participants.number IS NULL THEN 0 ELSE 1 END AS is_participant,
                    CASE WHEN devices.number IS NULL THEN 0 ELSE 1 END AS is_registered,
                    participants.installation_secret AS participant_secret,
                    devices.installation_secret AS device_secret, (
                        SELECT count(*) FROM activity_members WHERE activity = activities.number AND (
                            kind = 0 AND name = devices.installation OR kind = 1 AND name = devices.user_id
                        )
                    ) AS named
                FROM activities
                LEFT JOIN activity_participants AS participants
                    ON participants.activity = activities.number AND participants.installation = \(installation)
                LEFT JOIN devices ON devices.app = activities.app AND devices.installation = \(installation)
                WHERE activities.number = \(number)
                """
            )
        )
    }

    func setSecret(_ secret: [UInt8]?, of installation: DeviceID, inActivity number: Int64) throws {
        try self.run(
            """
            UPDATE activity_participants SET installation_secret = \(secret)
            WHERE activity = \(number) AND installation = \(installation)
            """
        )
    }

    /// Creates the activity of a report; `nil` if there is one of that ID.
    ///
    /// - Throws: `DeviceAccessError` `.limit` if the installation has too many of its own.
    func create(_ activity: Activity, by report: UpdateTokenRegistration, app: Int64) throws -> ActivityRow? {
        guard report.access.isInstallation else { return try self.insert(activity, app: app) }
        let owner = report.installation
        let limit = ActivityLimit.ofInstallation
        let running = try self.run(
            "SELECT 1 FROM activities WHERE app = \(app) AND owner = \(owner) AND state < 2 LIMIT \(limit)"
        )
        let row = try self.insert(activity, app: app, owner: owner)
        guard try running.rows.count < limit else { throw DeviceAccessError.limit }
        return row
    }

    /// Checks whether a copy of the app may register a push-to-start token.
    func check(_ token: PushToStartToken, app: Int64, _ access: DeviceAccess, now: Date) throws {
        let installation = token.installation
        let others = try self.run(
            """
            SELECT 1 FROM push_to_start_tokens
            WHERE app = \(app) AND installation = \(installation) AND attributes_type <> \(token.attributesType)
            LIMIT \(DeviceLimit.startTokens)
            """
        )
        let known = try self.first(
            """
            SELECT installation_secret FROM devices WHERE app = \(app) AND installation = \(installation)\
            \(lock: " FOR UPDATE")
            """
        )
        guard let known else { throw DeviceAccessError.unknownDevice }
        let stored = try known.bytes("installation_secret")
        let secret = try access.secret(replacing: stored, isNew: false, now: now)
        guard try others.rows.count < DeviceLimit.startTokens else { throw DeviceAccessError.limit }
        guard secret != stored else { return }
        try self.run(
            """
            UPDATE devices SET installation_secret = \(secret) WHERE app = \(app) AND installation = \(installation)
            """
        )
    }

    /// Adds members to a locked activity.
    func insert(_ members: ActivityMembers, into row: ActivityRow) throws {
        if members.isEmpty { return }
        let devices = members.devices.map { (kind: Int64(0), name: $0.rawValue) }
        let users = members.users.map { (kind: Int64(1), name: $0.rawValue) }
        let named = try SQLRows(
            "named",
            (devices + users).sorted { ($0.kind, $0.name) < ($1.kind, $1.name) },
            ["activity": { _ in .integer(row.number) }, "kind": { .integer($0.kind) }, "name": { .text($0.name) }]
        )
        try self.run("INSERT INTO activity_members \(named.insert()) ON CONFLICT DO NOTHING")
        let limit = ActivityLimit.namedMembers
        let count = try self.first("SELECT count(*) AS count FROM activity_members WHERE activity = \(row.number)")
        guard try count?.int64("count") ?? 0 <= limit else {
            throw ActivityError.tooMany("named members", limit: limit)
        }
    }

    /// Ends the activity of an installation that has the ID of a new one of the backend, and gives it another ID.
    ///
    /// - Returns: the device of the installation if the backend names it, which takes part in the new activity.
    func displace(
        _ activity: Activity,
        app: Int64,
        naming members: ActivityMembers,
        _ installations: [DeviceID],
        now: Date
    ) throws -> AdoptedParticipant? {
        guard let row = try self.activityRows([activity.id], app: app, activity.app).first else { return nil }
        let owner = try self.first("SELECT owner FROM activities WHERE number = \(row.number)")?.text("owner")
        guard let owner = owner.flatMap({ DeviceID(rawValue: $0) }) else { return nil }
        let claim = try self.first(
            """
            SELECT participants.installation_secret, devices.user_id FROM activity_participants AS participants
            LEFT JOIN devices ON devices.app = \(app) AND devices.installation = participants.installation
            WHERE participants.activity = \(row.number) AND participants.installation = \(owner)
            """
        )
        let user = try claim?.text("user_id").flatMap { UserID(rawValue: $0) }
        let isNamed =
            members.devices.contains(owner) || installations.contains(owner)
            || user.map(members.users.contains) ?? false
        var snapshots = [ActivitySnapshot(row)]
        try self.loadPlans(&snapshots)
        try self.loadParticipants(&snapshots) { _ in !row.lifecycle.state.isOver }
        var writes = ActivityWrites(snapshots[0], at: now)
        var adopted: AdoptedParticipant?
        if isNamed, let place = snapshots[0].participants.firstIndex(where: { $0.participant.installation == owner }) {
            var own = snapshots[0]
            own.participants = [snapshots[0].participants.remove(at: place)]
            let participant = own.participants[0].participant
            if let target = participant.target {
                var report = UpdateTokenRegistration(
                    installation: owner,
                    token: target.token,
                    environment: target.environment,
                    issuedAt: participant.tokenIssuedAt,
                    frequentUpdates: participant.frequentUpdates
                )
                report.showsInitialContent = false
                adopted = AdoptedParticipant(report: report, secret: try claim?.bytes("installation_secret"))
                // It is sent no end, because it shows the activity on.
                let reason = ActivityEndReport.Reason.dismissed
                try writes.decide(.leave(ActivityEndReport(installation: owner, reason: reason)), on: own)
            }
        }
        if !row.lifecycle.state.isOver {
            try writes.decide(.change([ActivityChange(end: .immediate)]), on: snapshots[0])
        }
        try self.apply([writes], now: now)
        let id = ActivityID(unchecked: "displaced-\(UUID().uuidString.lowercased())")
        try self.run("UPDATE activities SET id = \(id) WHERE number = \(row.number)")
        return adopted
    }
}
