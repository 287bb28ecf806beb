// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation
public import PushModel
public import PushStore

extension PlatformStore where Self: SQLBacked {
    public func addEndpoint(_ draft: EndpointDraft, now: Date) async throws -> (device: Device, isNew: Bool) {
        // If two transactions add the same token, the index rejects the slower one. It runs again and finds the device.
        try await self.sql.write(retriesConflicts: true) { transaction in
            let app = try transaction.lockedNumber(of: draft.app)
            let known = try transaction.first(
                """
                \(SQL.devices) WHERE app = \(app) AND environment = \(draft.environment)
                    AND token = \(draft.token.bytes)
                """
            )
            if let known { return (try Device(stored: known, app: draft.app), false) }
            let now = now.keptToMilliseconds
            let registration = DeviceRegistration(
                app: draft.app,
                installation: draft.installation,
                token: draft.token,
                environment: draft.environment
            )
            let change = EndpointChange(isEnabled: draft.isEnabled, userData: draft.userData ?? "")
            let device = change.applied(to: Device(registration, createdAt: now, now: now), now: now)
            try transaction.insert(endpoint: device, app: app)
            try transaction.tell(.created, device.installation, app: app, in: draft.environment, now: now)
            return (device, true)
        }
    }

    public func endpoint(
        _ installation: InstallationID,
        of name: PlatformApplication.Name
    ) async throws -> (application: PlatformApplication, device: Device?)? {
        try await self.sql.lookUp { reader in
            let applications = try reader.run("\(SQL.applications) WHERE \(name.condition)")
            let devices = try reader.run(
                """
                \(SQL.devices) WHERE installation = \(installation) AND (app, environment) =
                    (SELECT app, environment FROM platform_applications WHERE \(name.condition))
                """
            )
            guard let row = try applications.rows.first else { return nil }
            let application = try PlatformApplication(stored: row)
            return (application, try devices.rows.first.map { try Device(stored: $0, app: application.app) })
        }
    }

    public func changeEndpoint(
        _ installation: InstallationID,
        of app: AppID,
        in environment: APNsEnvironment,
        by change: EndpointChange,
        now: Date
    ) async throws -> Device? {
        // Another device may register the token just now.
        try await self.sql.write(retriesConflicts: true) { transaction in
            guard let number = try transaction.number(of: app),
                let row = try transaction.first(
                    """
                    \(SQL.devices) WHERE app = \(number) AND installation = \(installation)
                        AND environment = \(environment)\(lock: " FOR UPDATE")
                    """
                )
            else { return nil }
            let device = try Device(stored: row, app: app)
            let changed = change.applied(to: device, now: now)
            if changed.token != device.token {
                let removed = try transaction.rows(
                    """
                    DELETE FROM devices WHERE app = \(number) AND environment = \(environment)
                        AND token = \(changed.token.bytes) AND installation <> \(installation)
                    RETURNING installation
                    """
                )
                for row in removed {
                    let other = try row.identifier("installation", InstallationID.self)
                    try transaction.tell(.deleted, other, app: number, in: environment, now: now)
                }
            }
            try transaction.update(endpoint: changed, app: number)
            try transaction.tell(.updated, installation, app: number, in: environment, now: now)
            return changed
        }
    }

    @discardableResult
    public func removeEndpoint(
        _ installation: InstallationID,
        of app: AppID,
        in environment: APNsEnvironment,
        now: Date
    ) async throws -> Bool {
        try await self.sql.write { transaction in
            guard let number = try transaction.number(of: app) else { return false }
            let removed = try transaction.run(
                """
                DELETE FROM devices WHERE app = \(number) AND installation = \(installation)
                    AND environment = \(environment)
                """
            )
            guard try removed.changes > 0 else { return false }
            try transaction.tell(.deleted, installation, app: number, in: environment, now: now)
            return true
        }
    }

    public func endpoints(
        of app: AppID,
        in environment: APNsEnvironment,
        after cursor: DeviceCursor?,
        limit: Int
    ) async throws -> Page<Device, DeviceCursor> {
        try await self.sql.read {
            try $0.devices(of: app, where: "environment = \(environment)", after: cursor, limit: limit)
        }
    }
}

extension SQLExecutor {
    /// Adds a new device without a profile.
    fileprivate func insert(endpoint device: Device, app: Int64) throws {
        let status = device.status.stored
        let number = try self.nextDeviceNumber(app: app)
        try self.run(
            """
            INSERT INTO devices (number, app, status, status_reason, status_since, environment, token, registered_at,
                seen_at, created_at, installation, user_data)
            VALUES (\(number), \(app), \(status.number), \(status.reason), \(status.since), \(device.environment),
                \(device.token.bytes), \(device.registeredAt), \(device.seenAt), \(device.createdAt),
                \(device.installation), \(device.userData))
            """
        )
    }

    /// Writes what an `EndpointChange` may have changed of a device.
    fileprivate func update(endpoint device: Device, app: Int64) throws {
        let status = device.status.stored
        try self.run(
            """
            UPDATE devices SET token = \(device.token.bytes), registered_at = \(device.registeredAt),
                seen_at = \(device.seenAt), status = \(status.number), status_reason = \(status.reason),
                status_since = \(status.since), user_data = \(device.userData)
            WHERE app = \(app) AND installation = \(device.installation)
            """
        )
    }
}
