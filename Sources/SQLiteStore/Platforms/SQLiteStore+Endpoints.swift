// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: PlatformStore {
    /// Adds a device, unless one has the token; see `PlatformStore`.
    public func addEndpoint(_ draft: EndpointDraft, now: Date) async throws -> (device: Device, isNew: Bool) {
        try await self.write { database in
            let app = try database.requiredNumber(of: draft.app)
            let known = try database.row(
                "SELECT * FROM devices WHERE app = ? AND environment = ? AND token = ?",
                [app, draft.environment.stored, draft.token.bytes]
            )
            if let known {
                let topics = try database.topics(ofDevice: known.int64("number"))
                return (try Device(stored: known, app: draft.app, topics: topics), false)
            }
            let registration = DeviceRegistration(
                app: draft.app,
                installation: draft.installation,
                token: draft.token,
                environment: draft.environment
            )
            let device = try database.register(registration, app: app, at: now, now: now)
            let change = EndpointChange(isEnabled: draft.isEnabled, userData: draft.userData ?? "")
            let changed = change.applied(to: device, now: now)
            if changed != device { try database.update(changed, app: app) }
            try database.tell(.created, changed.installation, app: app, in: draft.environment, now: now)
            return (changed, true)
        }
    }

    /// A device, with the application whose endpoint it is; see `PlatformStore`.
    public func endpoint(
        _ installation: InstallationID,
        of name: PlatformApplication.Name
    ) async throws -> (application: PlatformApplication, device: Device?)? {
        try await self.lookUp { database in
            guard let application = try database.application(name) else { return nil }
            let device = try database.device(installation, of: application.app)
            return (application, device?.environment == application.environment ? device : nil)
        }
    }

    /// Changes a device; see `PlatformStore`.
    public func changeEndpoint(
        _ installation: InstallationID,
        of app: AppID,
        in environment: APNsEnvironment,
        by change: EndpointChange,
        now: Date
    ) async throws -> Device? {
        try await self.write { database in
            guard let number = try database.number(of: app),
                let row = try database.row(
                    "SELECT * FROM devices WHERE app = ? AND installation = ? AND environment = ?",
                    [number, installation.rawValue, environment.stored]
                )
            else { return nil }
            let device = try Device(stored: row, app: app, topics: database.topics(ofDevice: row.int64("number")))
            let changed = change.applied(to: device, now: now)
            if changed.token != device.token {
                let removed = try database.rows(
                    """
                    DELETE FROM devices WHERE app = ? AND environment = ? AND token = ? AND installation <> ?
                    RETURNING installation
                    """,
                    [number, environment.stored, changed.token.bytes, installation.rawValue]
                )
                for row in removed {
                    let other = try row.identifier("installation", InstallationID.self)
                    try database.tell(.deleted, other, app: number, in: environment, now: now)
                }
            }
            try database.update(changed, app: number)
            try database.tell(.updated, installation, app: number, in: environment, now: now)
            return changed
        }
    }

    /// Removes a device for good; see `PlatformStore`.
    @discardableResult
    public func removeEndpoint(
        _ installation: InstallationID,
        of app: AppID,
        in environment: APNsEnvironment,
        now: Date
    ) async throws -> Bool {
        try await self.write { database in
            guard let number = try database.number(of: app) else { return false }
            let count = try database.run(
                "DELETE FROM devices WHERE app = ? AND installation = ? AND environment = ?",
                [number, installation.rawValue, environment.stored]
            )
            guard count > 0 else { return false }
            try database.tell(.deleted, installation, app: number, in: environment, now: now)
            return true
        }
    }

    /// An app's devices in one environment; see `PlatformStore`.
    public func endpoints(
        of app: AppID,
        in environment: APNsEnvironment,
        after cursor: DeviceCursor?,
        limit: Int
    ) async throws -> Page<Device, DeviceCursor> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { database in
            guard let number = try database.number(of: app) else { return Page(elements: [], next: nil) }
            let range = DeviceNumber.range(ofApp: number)
            let rows = try database.rows(
                "SELECT * FROM devices WHERE number > ? AND number <= ? AND environment = ? ORDER BY number LIMIT ?",
                [max(range.lowerBound, cursor?.rawValue ?? 0), range.upperBound, environment.stored, limit + 1]
            )
            let devices = try rows.prefix(limit).map { row in
                try Device(stored: row, app: app, topics: database.topics(ofDevice: row.int64("number")))
            }
            let next = rows.count > limit ? DeviceCursor(rawValue: try rows[limit - 1].int64("number")) : nil
            return Page(elements: devices, next: next)
        }
    }
}

extension Database {
    /// Writes what an `EndpointChange` may have changed of a device.
    fileprivate func update(_ device: Device, app: Int64) throws {
        let status = device.status.stored
        try self.run(
            """
            UPDATE devices SET token = ?, registered_at = ?, seen_at = ?, status = ?, status_reason = ?,
                status_since = ?, user_data = ? WHERE app = ? AND installation = ?
            """,
            [
                device.token.bytes, device.registeredAt.millisecondsSince1970, device.seenAt.millisecondsSince1970,
                status.number, status.reason, status.since, device.userData, app, device.installation.rawValue,
            ]
        )
    }
}
