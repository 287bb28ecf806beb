// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

// The owners of devices: the installation with the secret of the device, and the user.

extension DeviceStore where Self: SQLBacked {
    public func removeDevice(
        _ installation: DeviceID,
        of app: AppID,
        access: DeviceAccess,
        now: Date
    ) async throws -> Bool {
        try await self.sql.write { transaction in
            let number = try transaction.numberExpression(of: app)
            let device: SQL = "app = \(number) AND installation = \(installation)"
            if access.isInstallation {
                let lock: SQL = "\(lock: " FOR UPDATE")"
                let known = try transaction.first("SELECT installation_secret FROM devices WHERE \(device)\(lock)")
                guard let known else { return false }
                _ = try access.secret(replacing: known.bytes("installation_secret"), isNew: false, now: now)
            }
            // A device that no longer has the app starts no activities.
            try transaction.run("DELETE FROM push_to_start_tokens WHERE \(device)")
            let removed = try transaction.run("DELETE FROM devices WHERE \(device)")
            // Apps and backends remove devices in large numbers, and their calls have no origin.
            if transaction.origin != nil, try removed.changes > 0 {
                try transaction.audit(.deleted, device: installation, of: app)
            }
            try transaction.commit()
            return try removed.changes > 0
        }
    }

    public func resetSecret(of installation: DeviceID, app: AppID) async throws -> Bool {
        try await self.sql.write { transaction in
            let number = try transaction.numberExpression(of: app)
            let reset = try transaction.run(
                """
                UPDATE devices SET installation_secret = \(DeviceAccess.reset)
                WHERE app = \(number) AND installation = \(installation)
                """
            )
            guard try reset.changes > 0 else { return false }
            try transaction.run(
                """
                UPDATE activity_participants SET installation_secret = NULL WHERE installation = \(installation)
                    AND activity IN (SELECT number FROM activities WHERE app = \(number))
                """
            )
            try transaction.audit(.reset, device: installation, of: app)
            return true
        }
    }

    public func devices(of app: AppID, users: [UserID], limit: Int) async throws -> [UserDevice] {
        let users = Array(Set(users))
        guard !users.isEmpty else { return [] }
        return try await self.sql.read { reader in
            let devices = try reader.devices(of: app, users: users, limit: limit, ofEach: DeviceLimit.devicesOfUser)
            if devices.count <= limit { return devices }
            return try reader.devices(of: app, users: users, limit: limit, ofEach: max(1, limit / users.count))
        }
    }
}

extension SQLExecutor {
    /// Reads at most `limit` + 1 devices of users, the oldest of each first, in the order of their numbers.
    ///
    /// Devices that others register for a user come after those that the user has.
    fileprivate func devices(of app: AppID, users: [UserID], limit: Int, ofEach count: Int) throws -> [UserDevice] {
        let app = try self.numberExpression(of: app)
        var found: [(number: Int64, device: UserDevice)] = []
        var rest = users[...]
        while !rest.isEmpty, found.count <= limit {
            let room = limit + 1 - found.count
            // SQLite executes the statement once for each user, so the limit holds for each.
            let part = self.dialect == .sqlite ? rest.prefix(max(1, room / count)) : rest
            rest = rest.dropFirst(part.count)
            let named = try SQLRows("named", Array(part), ["user_id": { .identifier($0) }])
            let own: SQL = """
                SELECT number, user_id, installation, environment, token FROM devices
                WHERE app = \(app) AND user_id = \(named["user_id"]) AND status < 2
                ORDER BY number LIMIT \(min(count, room))
                """
            let rows = try self.rows(
                self.dialect == .sqlite
                    ? own : "SELECT own.*\(" FROM ", named) CROSS JOIN LATERAL (\(own)) AS own LIMIT \(room)"
            )
            found += try rows.mapReadable(in: "devices") { row in
                let user = try row.identifier("user_id", UserID.self)
                let installation = try row.identifier("installation", DeviceID.self)
                let device = UserDevice(user: user, installation: installation, target: try Target(stored: row))
                return (try row.int64("number"), device)
            }
        }
        return found.sorted { $0.number < $1.number }.map(\.device)
    }
}
