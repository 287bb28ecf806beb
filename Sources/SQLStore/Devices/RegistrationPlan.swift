// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// Registrations on PostgreSQL, which stores a round of them in few statements.
extension SQLTransaction {
    /// Stores registrations and commits; see ``store(_:apps:)``.
    func storeInRounds(_ calls: [RegistrationCall], apps: [AppID: Int64]) throws -> [StoredRegistration?] {
        let positions = Dictionary(grouping: calls.indices) { calls[$0].registration.app }
        var results: [(round: ArraySlice<Int>, devices: any SQLResult)] = []
        // All transactions lock the devices of several apps in the same order.
        for (id, app) in apps.sorted(by: { $0.value < $1.value }) {
            for round in calls.rounds(positions[id] ?? []) {
                results.append((round, try self.store(round.map { calls[$0] }, app: app)))
            }
        }
        try self.commit()
        var stored = [StoredRegistration?](repeating: nil, count: calls.count)
        for (round, devices) in results {
            var devicesByID: [String: StoredRegistration] = [:]
            try devices.each { row in
                devicesByID[try row.string("installation")] = StoredRegistration(
                    createdAt: Date(millisecondsSince1970: StoredLimit.clamp(try row.int64("created_at"))),
                    userData: try row.text("user_data")
                )
            }
            for position in round { stored[position] = devicesByID[calls[position].registration.installation.rawValue] }
        }
        return stored
    }

    /// Stores the registrations of a round, except those that are older than the stored devices.
    ///
    /// - Returns: the stored devices.
    private func store(_ round: [RegistrationCall], app: Int64) throws -> any SQLResult {
        let told = try SQLRows(
            "told",
            round.map(\.registration),
            [
                "installation": { .identifier($0.installation) },
                "environment": { .environment($0.environment) },
                "token": { .bytes($0.token.bytes) },
            ]
        )
        var current = round
        // Nothing is read if no registration can be older. That saves a round trip.
        if round.contains(where: { $0.registration.registeredAt != nil }) {
            let plan = try RegistrationPlan(round, stored: self.devices(thatHave: told, app: app))
            try self.run("DELETE FROM devices WHERE app = \(app) AND number \(each: plan.displaced)")
            current = plan.current
        } else {
            let ids = round.map(\.registration.installation.rawValue)
            if ids.count > 1 { try self.lockDevices(ids, app: app) }
            try self.removeFormerHolders(of: told, ids: ids, app: app)
        }
        let new = try SQLRows(registered: current)
        let columns = new.insert([
            "app": "\(app)", "status": "0", "seen_at": new["registered_at"], "tags": "\(new["tags"])::jsonb",
            "topics": "\(new["topics"])::text[]",
        ])
        return try self.run(
            """
            INSERT INTO devices \(columns)
            ON CONFLICT (app, installation) DO UPDATE SET status = 0, status_since = NULL, status_reason = NULL,
                seen_at = excluded.seen_at, \(new.excluded(2..<new.names.count))
            RETURNING installation, created_at, user_data
            """
        )
    }

    /// Locks known devices in the order of their numbers, as all registrations do that have several.
    private func lockDevices(_ ids: [String], app: Int64) throws {
        try self.run(
            """
            SELECT count(*) FROM (
                SELECT FROM devices WHERE app = \(app) AND installation \(in: ids) ORDER BY number FOR UPDATE
            ) AS held
            """
        )
    }

    private func devices(thatHave told: SQLRows, app: Int64) throws -> [SQLRow] {
        try self.rows(
            """
            SELECT devices.number, devices.installation, devices.environment, devices.token, devices.registered_at
            FROM devices\(", ", told)
            WHERE devices.app = \(app) AND (
                devices.installation = \(told["installation"])
                OR (devices.environment = \(told["environment"]) AND devices.token = \(told["token"]))
            )
            ORDER BY devices.number FOR UPDATE OF devices
            """
        )
    }

    /// Removes each device whose token another one gets, unless it has got another token before that in the same round.
    private func removeFormerHolders(of told: SQLRows, ids: [String], app: Int64) throws {
        try self.run(
            """
            DELETE FROM devices\(" USING ", told)
            WHERE devices.app = \(app) AND devices.environment = \(told["environment"])
                AND devices.token = \(told["token"]) AND devices.installation <> \(told["installation"])
                AND NOT EXISTS (
                    SELECT 1 FROM unnest(\(SQLValue.texts(ids))) WITH ORDINALITY AS earlier (installation, position)
                    WHERE earlier.installation = devices.installation AND earlier.position < \(told["position"])
                )
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
    }

    private struct Device {
        var number: Int64?
        var token: EnvironmentToken
        var time: Date
    }

    /// The registrations that are not older than the stored devices.
    private(set) var current: [RegistrationCall] = []

    /// The numbers of the devices that lose their token to another device, so that they are removed.
    private(set) var displaced: [Int64] = []
    private var devices: [String: Device] = [:]
    private var holders: [EnvironmentToken: String] = [:]

    init(_ round: [RegistrationCall], stored: [SQLRow]) throws {
        for row in stored {
            let token = EnvironmentToken(environment: try row.int64("environment"), token: try row.blob("token"))
            let id = try row.string("installation")
            let time = Date(millisecondsSince1970: StoredLimit.clamp(try row.int64("registered_at")))
            self.devices[id] = Device(number: try row.int64("number"), token: token, time: time)
            self.holders[token] = id
        }
        for call in round { self.add(call) }
    }

    private mutating func add(_ call: RegistrationCall) {
        let registration = call.registration
        let id = registration.installation.rawValue
        let environment = Int64(registration.environment.stored)
        let token = EnvironmentToken(environment: environment, token: registration.token.bytes)
        let holder = self.holders[token]
        if let time = registration.precedence {
            let latest = [id, holder].compactMap { id in id.flatMap { self.devices[$0]?.time } }.max()
            // Stores keep milliseconds. A registration of the same millisecond replaces the stored one.
            if let latest, latest.millisecondsSince1970 > time.millisecondsSince1970 { return }
        }
        if let holder, holder != id, let number = self.devices.removeValue(forKey: holder)?.number {
            self.displaced.append(number)
        }
        let known = self.devices[id]
        if let known { self.holders[known.token] = nil }
        self.devices[id] = Device(number: known?.number, token: token, time: call.time)
        self.holders[token] = id
        self.current.append(call)
    }
}

extension [RegistrationCall] {
    /// Splits the positions of calls for one app into rounds in which no installation and no token comes twice.
    ///
    /// A round can be written at once with the same effect as one registration after the other.
    fileprivate func rounds(_ positions: [Int]) -> [ArraySlice<Int>] {
        var rounds: [ArraySlice<Int>] = []
        var start = 0
        var installations: Set<InstallationID> = []
        var targets: Set<Target> = []
        for (place, position) in positions.enumerated() {
            let registration = self[position].registration
            let target = Target(token: registration.token, environment: registration.environment)
            if installations.contains(registration.installation) || targets.contains(target) {
                rounds.append(positions[start..<place])
                start = place
                installations = []
                targets = []
            }
            installations.insert(registration.installation)
            targets.insert(target)
        }
        if start < positions.count { rounds.append(positions[start...]) }
        return rounds
    }
}
