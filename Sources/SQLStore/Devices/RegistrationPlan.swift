// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// Registrations on PostgreSQL, which reads and writes many of them in one statement.
extension SQLTransaction {
    /// The number of registrations from which a transaction makes statistics if the table needs them.
    private static let analyzedCount = 25

    /// Finds a row if there are statistics of the devices.
    ///
    /// Those of at most 100 pages count only until the table is ten times as large. Those of a larger table make no
    /// plan that reads all of it, and analyzing it could take long.
    private static let hasStatistics: SQL = """
        SELECT 1 FROM pg_class WHERE oid = 'devices'::regclass AND reltuples > 0
            AND (relpages > 100 OR pg_relation_size(oid) < 10 * current_setting('block_size')::bigint * relpages)
        """

    /// Stores registrations and commits; see ``store(_:requiresApps:)``.
    ///
    /// `locked` has the apps, and arrives with the first result that is read.
    func storeInRounds(
        _ calls: [RegistrationCall],
        locked: any SQLResult,
        requiresApps: Bool
    ) throws -> [RegistrationOutcome?] {
        let statistics = calls.count < Self.analyzedCount ? nil : try self.run(Self.hasStatistics)
        var results: [(round: ArraySlice<Int>, refused: [DeviceID: DeviceAccessError], devices: any SQLResult)] = []
        let positions = Dictionary(grouping: calls.indices) { calls[$0].registration.app }
        // All transactions lock the devices of several apps in the order of the apps' numbers.
        let numbers = positions.count > 1 ? try locked.appNumbers : [:]
        for (id, positions) in positions.sorted(by: { (numbers[$0.key] ?? 0) < (numbers[$1.key] ?? 0) }) {
            for round in calls.rounds(positions) {
                let current = round.map { calls[$0] }
                let known = try self.lockedDevices(of: current, app: id)
                guard let app = try locked.appNumbers[id] else {
                    if requiresApps { throw StoreError.noApp(id) }
                    break
                }
                let plan = try RegistrationPlan(current, stored: known)
                if !plan.displaced.isEmpty { try self.remove(plan.displaced, app: app) }
                results.append((round, plan.refused, try self.upsert(plan.current, app: app)))
                if !plan.usersWithNewDevices.isEmpty {
                    try self.limitDevices(of: plan.usersWithNewDevices, app: app)
                }
                if !plan.newOfUsers.isEmpty { try self.limit(plan.newOfUsers, app: app) }
            }
        }
        // Without statistics, or with those of a few pages, a plan reads all devices to find one. Connections keep such
        // a plan until there are new statistics.
        if let statistics, try statistics.rows.isEmpty { try self.run("ANALYZE (SKIP_LOCKED) devices") }
        try self.commit()
        var stored = [RegistrationOutcome?](repeating: nil, count: calls.count)
        for (round, refused, devices) in results {
            var devicesByID: [String: StoredRegistration] = [:]
            try devices.each { row in
                devicesByID[try row.string("installation")] = try StoredRegistration(stored: row)
            }
            for position in round {
                let id = calls[position].registration.installation
                let device = devicesByID[id.rawValue].map(RegistrationOutcome.stored)
                stored[position] = device ?? refused[id].map(RegistrationOutcome.refused) ?? .skipped
            }
        }
        return stored
    }

    /// Removes devices with their push-to-start tokens.
    private func remove(_ devices: [Int64], app: Int64) throws {
        try self.run(
            """
            DELETE FROM push_to_start_tokens WHERE app = \(app) AND installation IN (
                SELECT installation FROM devices WHERE app = \(app) AND number \(each: devices)
            )
            """
        )
        try self.run("DELETE FROM devices WHERE app = \(app) AND number \(each: devices)")
    }

    /// Takes the user ID from the devices of users beyond the limit, after others have registered.
    private func limitDevices(of users: Set<UserID>, app: Int64) throws {
        let named = try SQLRows("named", users.sorted { $0.rawValue < $1.rawValue }, ["user_id": { .identifier($0) }])
        try self.run(
            """
            UPDATE devices SET user_id = NULL\(" FROM ", named) CROSS JOIN LATERAL (
                SELECT number FROM devices WHERE app = \(app) AND user_id = \(named["user_id"])
                ORDER BY registered_at DESC, number DESC LIMIT 1000 OFFSET \(DeviceLimit.devicesOfUser)
            ) AS excess
            WHERE devices.app = \(app) AND devices.number = excess.number
            """
        )
    }

    /// Takes the user ID from devices that copies of the app registered for users beyond the limit.
    ///
    /// So they take nothing from the other devices of the user.
    private func limit(_ devices: [DeviceID: UserID], app: Int64) throws {
        let new = try SQLRows(
            "new",
            devices.sorted { $0.key < $1.key },
            ["installation": { .identifier($0.key) }, "user_id": { .identifier($0.value) }]
        )
        try self.run(
            """
            UPDATE devices SET user_id = NULL\(" FROM ", new)
            WHERE devices.app = \(app) AND devices.installation = \(new["installation"]) AND EXISTS (
                SELECT FROM devices AS own WHERE own.app = \(app) AND own.user_id = \(new["user_id"])
                LIMIT 1 OFFSET \(DeviceLimit.devicesOfUser)
            )
            """
        )
    }

    /// Locks and reads the devices that have the IDs or the tokens of a round, in the order of the IDs.
    ///
    /// PostgreSQL plans a subquery with a lock separately. So it searches two unique indexes for each registration, and
    /// joins no scan of all devices, even if a connection planned the statement for a small table.
    private func lockedDevices(of round: [RegistrationCall], app: AppID) throws -> [StoredRow] {
        let new = try SQLRows(
            "new",
            round.map(\.registration).sorted { $0.installation < $1.installation },
            [
                "installation": { .identifier($0.installation) },
                "environment": { .environment($0.environment) },
                "token": { .token($0.token.bytes) },
            ]
        )
        let devices: SQL = """
            SELECT number, installation, environment, token, container, registered_at, user_id, installation_secret
            FROM devices WHERE app = \(SQL.number(of: app))
            """
        return try self.rows(
            """
            SELECT found.*\(" FROM ", new) CROSS JOIN LATERAL (
                SELECT * FROM (\(devices) AND installation = \(new["installation"]) FOR UPDATE) AS known
                UNION ALL SELECT * FROM (
                    \(devices) AND environment = \(new["environment"]) AND token = \(new["token"])
                        AND installation <> \(new["installation"]) FOR UPDATE
                ) AS holder
            ) AS found
            """
        )
    }

    /// Inserts or updates devices.
    ///
    /// An update changes no index if the values of its columns are equal.
    private func upsert(_ calls: [RegistrationCall], app: Int64) throws -> any SQLResult {
        let new = try SQLRows(registered: calls)
        let columns = new.insert([
            "app": "\(app)", "status": "0", "seen_at": new["registered_at"], "tags": "\(new["tags"])::jsonb",
            "topics": "\(new["topics"])::text[]",
        ])
        return try self.run(
            """
            INSERT INTO devices \(columns)
            ON CONFLICT (app, installation) DO UPDATE SET status = 0, status_since = NULL, status_reason = NULL,
                seen_at = excluded.seen_at, \(new.excluded(3..<new.names.count))
            RETURNING installation, created_at, user_data, container
            """
        )
    }
}

/// The effect of registrations, one after the other, on the stored devices that have their IDs or tokens.
struct RegistrationPlan {
    /// Not a `Target`, because a corrupt device that has the token is removed too.
    private struct EnvironmentToken: Hashable {
        let environment: Int64
        let token: [UInt8]
        let container: String
    }

    private struct Device {
        let number: Int64?
        let token: EnvironmentToken
        let registeredAt: Int64
        let userID: String?
        let secret: [UInt8]?
    }

    /// The registrations that are not older than the stored devices.
    private(set) var current: [RegistrationCall] = []

    /// The numbers of the devices that lose their token to another device of their container, so that they are removed.
    private(set) var displaced: [Int64] = []

    /// The devices that their callers may not change.
    private(set) var refused: [DeviceID: DeviceAccessError] = [:]

    /// The users of devices that did not have that user before, and that a backend registered.
    private(set) var usersWithNewDevices: Set<UserID> = []

    /// The devices that did not have their user before, and that copies of the app registered.
    private(set) var newOfUsers: [DeviceID: UserID] = [:]
    private var devices: [String: Device] = [:]
    private var holders: [EnvironmentToken: String] = [:]

    init(_ round: [RegistrationCall], stored: [StoredRow]) throws {
        for row in stored {
            let token = EnvironmentToken(
                environment: try row.int64("environment"),
                // A token that does not open belongs to no registration; the next one of the device replaces it.
                token: try row.readable(in: "devices") { try $0.openedBlob("token") } ?? [],
                container: try row.string("container")
            )
            let id = try row.string("installation")
            let (number, registeredAt) = (try row.int64("number"), try row.int64("registered_at"))
            self.devices[id] = Device(
                number: number,
                token: token,
                registeredAt: registeredAt,
                userID: try row.text("user_id"),
                secret: try row.bytes("installation_secret")
            )
            self.holders[token] = id
        }
        for call in round {
            do throws(DeviceAccessError) {
                try self.add(call)
            } catch {
                self.refused[call.registration.installation] = error
            }
        }
    }

    private mutating func add(_ call: RegistrationCall) throws(DeviceAccessError) {
        var call = call
        let registration = call.registration
        let id = registration.installation.rawValue
        let environment = Int64(registration.environment.stored)
        let token = EnvironmentToken(
            environment: environment,
            token: registration.token.bytes,
            container: self.devices[id]?.token.container ?? registration.container
        )
        let known = self.devices[id]
        call.secret = try call.secret(replacing: known?.secret, isNew: known == nil)
        let holder = self.holders[token]
        if let precedence = registration.precedence?.millisecondsSince1970 {
            // A registration of the same millisecond replaces the stored one.
            let stored = [self.devices[id], holder.flatMap { self.devices[$0] }]
            if stored.contains(where: { $0.map { $0.registeredAt > precedence } ?? false }) { return }
        }
        if let holder, holder != id, let number = self.devices.removeValue(forKey: holder)?.number {
            self.displaced.append(number)
        }
        if let known { self.holders[known.token] = nil }
        if let user = registration.profile.userID, known?.userID != user.rawValue {
            if registration.access.isInstallation {
                self.newOfUsers[registration.installation] = user
            } else {
                self.usersWithNewDevices.insert(user)
            }
        }
        self.devices[id] = Device(
            number: known?.number,
            token: token,
            registeredAt: call.time.millisecondsSince1970,
            userID: registration.profile.userID?.rawValue,
            secret: call.secret
        )
        self.holders[token] = id
        self.current.append(call)
    }
}

extension [RegistrationCall] {
    /// Splits the positions of calls for one app into groups in which no device and no token occurs twice.
    ///
    /// A group can be written at once with the same effect as one registration after the other.
    fileprivate func rounds(_ positions: [Int]) -> [ArraySlice<Int>] {
        var rounds: [ArraySlice<Int>] = []
        var start = 0
        var installations: Set<DeviceID> = []
        var targets: Set<Target> = []
        for (place, position) in positions.enumerated() {
            let registration = self[position].registration
            let target = Target(token: registration.token, environment: registration.environment)
            let isNew = installations.insert(registration.installation).inserted
            if !targets.insert(target).inserted || !isNew {
                rounds.append(positions[start..<place])
                start = place
                installations = [registration.installation]
                targets = [target]
            }
        }
        if start < positions.count { rounds.append(positions[start...]) }
        return rounds
    }
}
