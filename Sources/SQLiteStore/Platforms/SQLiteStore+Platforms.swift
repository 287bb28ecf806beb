// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation
public import PushModel
public import PushStore
import SQLStore
import SQLite

extension SQLiteStore {
    @discardableResult
    public func putApplication(
        _ application: PlatformApplication,
        credential: Credential
    ) async throws -> PlatformApplication {
        try await self.write { database in
            if try database.number(of: application.app) == nil {
                try database.insert(
                    App(
                        id: application.app,
                        defaultEnvironment: application.environment,
                        createdAt: application.createdAt
                    )
                )
            }
            let app = try database.requiredNumber(of: application.app)
            guard let known = try database.application(application.name) else {
                try database.insert(credential, app: app)
                try database.insert(application, app: app)
                return application
            }
            let changed = try application.replacing(known)
            try database.replace(known.credential, by: credential, app: app)
            try database.update(changed)
            return changed
        }
    }

    public func application(_ name: PlatformApplication.Name) async throws -> PlatformApplication? {
        try await self.lookUp { try $0.application(name) }
    }

    public func applications(
        of app: AppID?,
        after cursor: PlatformApplication.Name?,
        limit: Int
    ) async throws -> Page<PlatformApplication, PlatformApplication.Name> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { database in
            let rows = try database.rows(
                """
                \(Database.applications) WHERE (platform, platform_applications.name) > (?1, ?2)
                    AND (?3 IS NULL OR apps.id = ?3) ORDER BY platform, platform_applications.name LIMIT ?4
                """,
                [cursor?.platform ?? "", cursor?.text ?? "", app?.rawValue, limit + 1]
            )
            return try Page(
                overfull: rows,
                in: "platform_applications",
                limit: limit,
                cursor: { try PlatformApplication.Name(stored: $0) }
            ) {
                try PlatformApplication(stored: $0)
            }
        }
    }

    public func changeApplication(
        _ name: PlatformApplication.Name,
        attributes: [String: String],
        credential: Credential?
    ) async throws -> PlatformApplication? {
        try await self.write { database in
            guard var application = try database.application(name) else { return nil }
            application.set(attributes)
            if let credential {
                let app = try database.requiredNumber(of: application.app)
                try database.replace(application.credential, by: credential, app: app)
                application.credential = credential.id
            }
            try database.update(application)
            return application
        }
    }

    @discardableResult
    public func removeApplication(_ name: PlatformApplication.Name) async throws -> PlatformApplication? {
        try await self.write { database in
            guard let application = try database.application(name) else { return nil }
            try database.run(
                "DELETE FROM platform_applications WHERE platform = ? AND name = ?",
                [name.platform, name.text]
            )
            try database.run("DELETE FROM credentials WHERE id = ?", [application.credential.rawValue])
            return application
        }
    }
}

extension Database {
    fileprivate static let applications = """
        SELECT platform_applications.*, apps.id AS app_id FROM platform_applications
        CROSS JOIN apps ON apps.number = platform_applications.app
        """

    func application(_ name: PlatformApplication.Name) throws -> PlatformApplication? {
        try self.row(
            "\(Self.applications) WHERE platform = ? AND platform_applications.name = ?",
            [name.platform, name.text]
        ).map(PlatformApplication.init(stored:))
    }

    fileprivate func insert(_ application: PlatformApplication, app: Int64) throws {
        try self.run(
            """
            INSERT INTO platform_applications (platform, name, app, environment, credential, attributes, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                application.name.platform, application.name.text, app,
                application.environment.stored, application.credential.rawValue, try application.storedAttributes,
                application.createdAt.millisecondsSince1970,
            ]
        )
    }

    fileprivate func update(_ application: PlatformApplication) throws {
        try self.run(
            """
            UPDATE platform_applications SET credential = ?, attributes = ?
            WHERE platform = ? AND name = ?
            """,
            [
                application.credential.rawValue, try application.storedAttributes, application.name.platform,
                application.name.text,
            ]
        )
    }

    fileprivate func replace(_ old: CredentialID, by credential: Credential, app: Int64) throws {
        try self.run("DELETE FROM credentials WHERE id = ?", [old.rawValue])
        try self.insert(credential, app: app)
    }
}

extension SQLiteStore: PlatformStore {
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
            let devices = try rows.prefix(limit).mapReadable(in: "devices") { row in
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
