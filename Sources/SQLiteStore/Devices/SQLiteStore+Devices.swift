// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore
import SQLStore
import SQLite

extension SQLiteStore: DeviceStore {
    @discardableResult
    public func register(_ registration: DeviceRegistration, now: Date) async throws -> Device {
        try await self.write { database in
            let app = try database.requiredNumber(of: registration.app)
            return try database.register(registration, app: app, at: now, now: now)
        }
    }

    @discardableResult
    public func register(_ registrations: [DeviceRegistration], now: Date) async throws -> Int {
        try await self.write(in: .bulk) { database in
            var apps: [AppID: Int64] = [:]
            var stored = 0
            for registration in registrations {
                let app = try apps[registration.app] ?? database.requiredNumber(of: registration.app)
                apps[registration.app] = app
                if let time = registration.precedence {
                    guard try !database.hasRegistered(registration, app: app, after: time) else { continue }
                }
                _ = try database.register(registration, app: app, at: registration.registeredAt ?? now, now: now)
                stored += 1
            }
            return stored
        }
    }

    public func device(_ installation: InstallationID, of app: AppID) async throws -> Device? {
        try await self.lookUp { try $0.device(installation, of: app) }
    }

    public func devices(
        of app: AppID,
        after cursor: DeviceCursor?,
        limit: Int
    ) async throws -> Page<Device, DeviceCursor> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { database in
            guard let number = try database.number(of: app) else { return Page(elements: [], next: nil) }
            let range = DeviceNumber.range(ofApp: number)
            let rows = try database.rows(
                "SELECT * FROM devices WHERE number > ? AND number <= ? ORDER BY number LIMIT ?",
                [max(range.lowerBound, cursor?.rawValue ?? 0), range.upperBound, limit + 1]
            )
            let devices = try rows.prefix(limit).mapReadable(in: "devices") { row in
                try Device(stored: row, app: app, topics: database.topics(ofDevice: row.int64("number")))
            }
            let next = rows.count > limit ? DeviceCursor(rawValue: try rows[limit - 1].int64("number")) : nil
            return Page(elements: devices, next: next)
        }
    }

    @discardableResult
    public func removeDevice(_ installation: InstallationID, of app: AppID) async throws -> Bool {
        try await self.write { database in
            guard let number = try database.number(of: app) else { return false }
            let arguments: StatementArguments = [number, installation.rawValue]
            // Nothing is started any more where the app has said goodbye.
            try database.run("DELETE FROM push_to_start_tokens WHERE app = ? AND installation = ?", arguments)
            return try database.run("DELETE FROM devices WHERE app = ? AND installation = ?", arguments) > 0
        }
    }

    public func correctEnvironments(_ targets: [Target], of app: AppID, registeredUntil: Date) async throws -> Int {
        try await self.write(in: .bulk) { database in
            guard let number = try database.number(of: app) else { return 0 }
            var count = 0
            for target in targets {
                let arguments: StatementArguments = [
                    number, target.environment.stored, target.token.bytes, registeredUntil.millisecondsSince1970,
                ]
                try database.run(
                    """
                    UPDATE devices SET environment = ?2, status = 0, status_reason = NULL, status_since = NULL
                    WHERE app = ?1 AND environment = 1 - ?2 AND token = ?3 AND registered_at <= ?4 AND status < 2
                        AND NOT EXISTS (SELECT 1 FROM devices WHERE app = ?1 AND environment = ?2 AND token = ?3)
                    """,
                    arguments
                )
                let found = try database.row(
                    "SELECT 1 FROM devices WHERE app = ?1 AND environment = ?2 AND token = ?3 AND registered_at <= ?4",
                    arguments
                )
                if found != nil { count += 1 }
            }
            return count
        }
    }

    public func targets(
        of app: AppID,
        installations: [InstallationID]
    ) async throws -> [InstallationID: Target] {
        try await self.read { database in
            guard let number = try database.number(of: app) else { return [:] }
            var targets: [InstallationID: Target] = [:]
            targets.reserveCapacity(installations.count)
            for installation in installations {
                let row = try database.row(
                    "SELECT environment, token FROM devices WHERE app = ? AND installation = ? AND status < 2",
                    [number, installation.rawValue]
                )
                if let row { targets[installation] = try row.readable(in: "devices") { try Target(stored: $0) } }
            }
            return targets
        }
    }

    public func registered(_ targets: [Target], of app: AppID) async throws -> Set<Target> {
        try await self.read { database in
            guard let number = try database.number(of: app) else { return [] }
            return try Set(targets).filter { target in
                try database.row(
                    "SELECT 1 FROM devices WHERE app = ? AND environment = ? AND token = ? AND status < 2",
                    [number, target.environment.stored, target.token.bytes]
                ) != nil
            }
        }
    }

    public func installations(of app: AppID, users: [UserID]) async throws -> [InstallationID] {
        try await self.read { database in
            guard let app = try database.number(of: app) else { return [] }
            let rows = try Set(users).flatMap { user in
                try database.rows(
                    "SELECT number, installation FROM devices WHERE app = ? AND user_id = ? AND status < 2",
                    [app, user.rawValue]
                )
            }
            return try rows.mapReadable(in: "devices") { (try $0.int64("number"), try $0.identifier("installation")) }
                .sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    public func targets(of app: AppID, users: [UserID]) async throws -> [UserID: [Target]] {
        try await self.read { database in
            guard let number = try database.number(of: app) else { return [:] }
            var targets: [UserID: [Target]] = [:]
            for user in Set(users) {
                let rows = try database.rows(
                    """
                    SELECT environment, token FROM devices WHERE app = ? AND user_id = ? AND status < 2 ORDER BY number
                    """,
                    [number, user.rawValue]
                )
                if !rows.isEmpty { targets[user] = try rows.mapReadable(in: "devices") { try Target(stored: $0) } }
            }
            return targets
        }
    }
}
