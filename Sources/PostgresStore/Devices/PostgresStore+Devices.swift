// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore
import SQLStore

extension PostgresStore: DeviceStore {
    @discardableResult
    public func register(_ registration: DeviceRegistration, now: Date) async throws -> Device {
        let now = now.keptToMilliseconds
        return try await self.write(retriesDuplicates: true) { connection in
            let app = try connection.lockedNumber(of: registration.app)
            let reply = try connection.register([registration], at: [now], app: app, now: now)
            try connection.commit()
            guard let row = reply.rows.first else { throw StoreError.damaged("device") }
            var device = Device(registration, createdAt: try row.clampedDate("created_at") ?? now, now: now)
            device.userData = try row.text("user_data")
            return device
        }
    }

    @discardableResult
    public func register(_ registrations: [DeviceRegistration], now: Date) async throws -> Int {
        let rounds = RegistrationRounds(registrations).rounds
        return try await self.write(retriesDuplicates: true) { connection in
            var apps: [AppID: Int64] = [:]
            var stored = 0
            for round in rounds {
                guard let id = round.first?.app else { continue }
                let app = try apps[id] ?? connection.lockedNumber(of: id)
                apps[id] = app
                let current = try connection.current(of: round, app: app, now: now)
                guard !current.isEmpty else { continue }
                try connection.register(current, at: current.map { $0.registeredAt ?? now }, app: app, now: now)
                stored += current.count
            }
            return stored
        }
    }

    public func device(_ installation: InstallationID, of app: AppID) async throws -> Device? {
        try await self.read { connection in
            try connection.row(
                "\(Self.columns) AND installation = $2",
                [.text(app.rawValue), .text(installation.rawValue)]
            ).map { try Device(stored: $0, app: app) }
        }
    }

    public func devices(
        of app: AppID,
        after cursor: DeviceCursor?,
        limit: Int
    ) async throws -> Page<Device, DeviceCursor> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { connection in
            try connection.queue(Self.inOrder)
            let reply = try connection.queue(
                Self.pageQuery,
                [.text(app.rawValue), .integer(cursor?.rawValue ?? 0), .number(limit + 1)]
            )
            try connection.commit()
            let rows = reply.rows
            let next = rows.count > limit ? try rows[limit - 1].integer("number") : nil
            return Page(
                elements: try rows.prefix(limit).mapReadable(in: "devices") { try Device(stored: $0, app: app) },
                next: next.map(DeviceCursor.init(rawValue:))
            )
        }
    }

    @discardableResult
    public func removeDevice(_ installation: InstallationID, of app: AppID) async throws -> Bool {
        try await self.write { connection in
            let values: [PostgresValue] = [.text(app.rawValue), .text(installation.rawValue)]
            // Nothing is started any more where the app has said goodbye.
            try connection.queue(
                """
                DELETE FROM push_to_start_tokens USING apps
                WHERE apps.id = $1 AND app = apps.number AND installation = $2
                """,
                values
            )
            let reply = try connection.queue(
                "DELETE FROM devices USING apps WHERE apps.id = $1 AND app = apps.number AND installation = $2",
                values
            )
            try connection.commit()
            return reply.changes > 0
        }
    }

    public func correctEnvironments(_ targets: [Target], of app: AppID, registeredUntil: Date) async throws -> Int {
        // A device may register the token just now.
        try await self.write(retriesDuplicates: true) { connection in
            guard let number = try connection.number(of: app) else { return 0 }
            let told: [PostgresValue] = [
                .integer(number), .integers(targets.map { Int64($0.environment.stored) }),
                .byteStrings(targets.map(\.token.bytes)), .integer(registeredUntil.millisecondsSince1970),
            ]
            try connection.queue(
                """
                UPDATE devices SET environment = told.environment, status = 0, status_reason = NULL, status_since = NULL
                FROM (SELECT DISTINCT environment, token FROM unnest($2::bigint[], $3::bytea[]) AS pair (environment, token))
                    AS told
                WHERE devices.app = $1 AND devices.environment = 1 - told.environment AND devices.token = told.token
                    AND devices.registered_at <= $4 AND devices.status < 2
                    AND NOT EXISTS (
                        SELECT FROM devices AS other
                        WHERE other.app = $1 AND other.environment = told.environment AND other.token = told.token
                    )
                """,
                told
            )
            return try connection.rows(
                """
                SELECT 1 AS found FROM unnest($2::bigint[], $3::bytea[]) AS told (environment, token)
                JOIN devices ON devices.environment = told.environment AND devices.token = told.token
                WHERE devices.app = $1 AND devices.registered_at <= $4
                """,
                told
            ).count
        }
    }

    public func registered(_ targets: [Target], of app: AppID) async throws -> Set<Target> {
        try await self.read { connection in
            let rows = try connection.rows(
                """
                SELECT devices.environment, devices.token FROM unnest($2::bigint[], $3::bytea[]) AS told (environment, token)
                JOIN devices ON devices.environment = told.environment AND devices.token = told.token
                WHERE devices.app = (SELECT number FROM apps WHERE id = $1) AND devices.status < 2
                """,
                [
                    .text(app.rawValue), .integers(targets.map { Int64($0.environment.stored) }),
                    .byteStrings(targets.map(\.token.bytes)),
                ]
            )
            return Set(try rows.mapReadable(in: "devices") { try Target(stored: $0) })
        }
    }

    public func targets(
        of app: AppID,
        installations: [InstallationID]
    ) async throws -> [InstallationID: Target] {
        try await self.read { connection in
            let rows = try connection.rows(
                """
                SELECT installation, environment, token FROM devices
                WHERE app = (SELECT number FROM apps WHERE id = $1) AND installation = ANY($2::text[]) AND status < 2
                """,
                [.text(app.rawValue), .texts(installations.map(\.rawValue))]
            )
            let found = try rows.mapReadable(in: "devices") {
                (try $0.identifier("installation", InstallationID.self), try Target(stored: $0))
            }
            return Dictionary(found) { first, _ in first }
        }
    }

    public func installations(of app: AppID, users: [UserID]) async throws -> [InstallationID] {
        try await self.read { connection in
            guard let app = try connection.number(of: app) else { return [] }
            return try connection.rows(
                """
                SELECT installation FROM devices WHERE app = $1 AND user_id = ANY($2::text[]) AND status < 2
                ORDER BY number
                """,
                [.integer(app), .texts(users.map(\.rawValue))]
            ).mapReadable(in: "devices") { try $0.identifier("installation") }
        }
    }

    public func targets(of app: AppID, users: [UserID]) async throws -> [UserID: [Target]] {
        try await self.read { connection in
            let rows = try connection.rows(
                """
                SELECT user_id, environment, token FROM devices
                WHERE app = (SELECT number FROM apps WHERE id = $1) AND user_id = ANY($2::text[]) AND status < 2
                ORDER BY number
                """,
                [.text(app.rawValue), .texts(users.map(\.rawValue))]
            )
            return try rows.reduce(into: [:]) { targets, row in
                let found = try row.readable(in: "devices") {
                    (user: try $0.identifier("user_id", UserID.self), target: try Target(stored: $0))
                }
                if let found { targets[found.user, default: []].append(found.target) }
            }
        }
    }

    /// Lets a transaction read devices by the index of their order only.
    static let inOrder = SQL.devicesInOrder.text(for: .postgres)

    /// Devices behind a place, read with ``inOrder``.
    static let pageQuery = "\(columns) AND number > $2 ORDER BY number LIMIT $3"

    /// What a device is read from; a condition follows.
    static let deviceColumns = """
        SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
            status_since, platform, app_version, locale, time_zone, user_id, user_data, tags::text AS tags, topics
        FROM devices
        """

    private static let columns = "\(deviceColumns) WHERE app = (SELECT number FROM apps WHERE id = $1)"
}

extension Device {
    init(stored row: PostgresRow, app: AppID) throws {
        try self.init(stored: row, app: app, topics: Set(row.texts("topics")))
    }
}
