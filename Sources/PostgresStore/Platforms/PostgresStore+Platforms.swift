// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation
public import PushModel
public import PushStore
import SQLStore

extension PostgresStore {
    @discardableResult
    public func putApplication(
        _ application: PlatformApplication,
        credential: Credential
    ) async throws -> PlatformApplication {
        try await self.write(retriesDuplicates: true) { connection in
            try connection.insert(
                App(
                    id: application.app,
                    defaultEnvironment: application.environment,
                    createdAt: application.createdAt
                )
            )
            let app = try connection.lockedNumber(of: application.app)
            guard let known = try connection.lockedApplication(application.name) else {
                try connection.insert(credential, app: app)
                try connection.queueInsert(application, app: app)
                try connection.receive()
                return application
            }
            let changed = try application.replacing(known)
            try connection.replace(known.credential, by: credential, app: app)
            try connection.queueUpdate(changed)
            return changed
        }
    }

    public func application(_ name: PlatformApplication.Name) async throws -> PlatformApplication? {
        try await self.read { connection in
            try connection.row(
                "\(PostgresConnection.applications) WHERE platform = $1 AND a.name = $2",
                [.text(name.platform), .text(name.text)]
            ).map(PlatformApplication.init(stored:))
        }
    }

    public func applications(
        of app: AppID?,
        after cursor: PlatformApplication.Name?,
        limit: Int
    ) async throws -> Page<PlatformApplication, PlatformApplication.Name> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { connection in
            let rows = try connection.rows(
                """
                \(PostgresConnection.applications) WHERE (platform, a.name) > ($1, $2)
                    AND ($3::text IS NULL OR apps.id = $3) ORDER BY platform, a.name LIMIT $4
                """,
                [
                    .text(cursor?.platform ?? ""), .text(cursor?.text ?? ""), .text(app?.rawValue),
                    .number(limit + 1),
                ]
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
        try await self.write { connection in
            guard var application = try connection.lockedApplication(name) else { return nil }
            application.set(attributes)
            if let credential {
                let app = try connection.lockedNumber(of: application.app)
                try connection.replace(application.credential, by: credential, app: app)
                application.credential = credential.id
            }
            try connection.queueUpdate(application)
            return application
        }
    }

    @discardableResult
    public func removeApplication(_ name: PlatformApplication.Name) async throws -> PlatformApplication? {
        try await self.write { connection in
            guard let application = try connection.lockedApplication(name) else { return nil }
            try connection.queue(
                "DELETE FROM platform_applications WHERE platform = $1 AND name = $2",
                [.text(name.platform), .text(name.text)]
            )
            try connection.queue("DELETE FROM credentials WHERE id = $1", [.text(application.credential.rawValue)])
            return application
        }
    }
}

extension PostgresConnection {
    static let applications = """
        SELECT a.*, apps.id AS app_id FROM platform_applications AS a JOIN apps ON apps.number = a.app
        """

    /// A platform application that nobody else changes before the transaction ends; `nil` when there is none.
    fileprivate func lockedApplication(_ name: PlatformApplication.Name) throws -> PlatformApplication? {
        try self.row(
            "\(Self.applications) WHERE platform = $1 AND a.name = $2 FOR UPDATE OF a",
            [.text(name.platform), .text(name.text)]
        ).map(PlatformApplication.init(stored:))
    }

    fileprivate func queueInsert(_ application: PlatformApplication, app: Int64) throws {
        try self.queue(
            """
            INSERT INTO platform_applications (platform, name, app, environment, credential, attributes, created_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7)
            """,
            [
                .text(application.name.platform), .text(application.name.text),
                .integer(app), .number(application.environment.stored), .text(application.credential.rawValue),
                .text(try application.storedAttributes), .integer(application.createdAt.millisecondsSince1970),
            ]
        )
    }

    fileprivate func queueUpdate(_ application: PlatformApplication) throws {
        try self.queue(
            """
            UPDATE platform_applications SET credential = $3, attributes = $4
            WHERE platform = $1 AND name = $2
            """,
            [
                .text(application.name.platform), .text(application.name.text),
                .text(application.credential.rawValue), .text(try application.storedAttributes),
            ]
        )
    }

    fileprivate func replace(_ old: CredentialID, by credential: Credential, app: Int64) throws {
        try self.queue("DELETE FROM credentials WHERE id = $1", [.text(old.rawValue)])
        try self.insert(credential, app: app)
    }
}

extension PostgresStore: PlatformStore {
    public func addEndpoint(_ draft: EndpointDraft, now: Date) async throws -> (device: Device, isNew: Bool) {
        // Of two that add the same token at once, the slower one is refused by the index and finds the other's device then.
        try await self.write(retriesDuplicates: true) { connection in
            let app = try connection.lockedNumber(of: draft.app)
            let known = try connection.row(
                "\(Self.deviceColumns) WHERE app = $1 AND environment = $2 AND token = $3",
                [.integer(app), .number(draft.environment.stored), .bytes(draft.token.bytes)]
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
            let status = device.status.stored
            try connection.queue(
                """
                INSERT INTO devices (app, status, status_reason, status_since, environment, token, registered_at, seen_at,
                    created_at, installation, user_data, topics)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $7, $8, $9, '{}')
                """,
                [
                    .integer(app), .number(status.number), .text(status.reason), .integer(status.since),
                    .number(device.environment.stored), .bytes(device.token.bytes),
                    .integer(now.millisecondsSince1970), .text(device.installation.rawValue), .text(device.userData),
                ]
            )
            try connection.tell(.created, [device.installation], app: app, in: draft.environment, now: now)
            try connection.receive()
            return (device, true)
        }
    }

    public func endpoint(
        _ installation: InstallationID,
        of name: PlatformApplication.Name
    ) async throws -> (application: PlatformApplication, device: Device?)? {
        try await self.read { connection in
            let named: [PostgresValue] = [.text(name.platform), .text(name.text)]
            let applications = try connection.queue(
                "\(PostgresConnection.applications) WHERE platform = $1 AND a.name = $2",
                named
            )
            let devices = try connection.queue(
                """
                \(Self.deviceColumns) WHERE installation = $3 AND (app, environment) =
                    (SELECT app, environment FROM platform_applications WHERE platform = $1 AND name = $2)
                """,
                named + [.text(installation.rawValue)]
            )
            try connection.commit()
            guard let row = applications.rows.first else { return nil }
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
        try await self.write(retriesDuplicates: true) { connection in
            guard let number = try connection.number(of: app),
                let row = try connection.row(
                    "\(Self.deviceColumns) WHERE app = $1 AND installation = $2 AND environment = $3 FOR UPDATE",
                    [.integer(number), .text(installation.rawValue), .number(environment.stored)]
                )
            else { return nil }
            let device = try Device(stored: row, app: app)
            let changed = change.applied(to: device, now: now)
            if changed.token != device.token {
                let removed = try connection.rows(
                    """
                    DELETE FROM devices WHERE app = $1 AND environment = $2 AND token = $3 AND installation <> $4
                    RETURNING installation
                    """,
                    [
                        .integer(number), .number(environment.stored), .bytes(changed.token.bytes),
                        .text(installation.rawValue),
                    ]
                ).map { try $0.identifier("installation", InstallationID.self) }
                try connection.tell(.deleted, removed, app: number, in: environment, now: now)
            }
            let status = changed.status.stored
            try connection.queue(
                """
                UPDATE devices SET token = $3, registered_at = $4, seen_at = $5, status = $6, status_reason = $7,
                    status_since = $8, user_data = $9 WHERE app = $1 AND installation = $2
                """,
                [
                    .integer(number), .text(installation.rawValue), .bytes(changed.token.bytes),
                    .integer(changed.registeredAt.millisecondsSince1970),
                    .integer(changed.seenAt.millisecondsSince1970), .number(status.number), .text(status.reason),
                    .integer(status.since), .text(changed.userData),
                ]
            )
            try connection.tell(.updated, [installation], app: number, in: environment, now: now)
            try connection.receive()
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
        try await self.write { connection in
            guard let number = try connection.number(of: app) else { return false }
            let removed = try connection.row(
                "DELETE FROM devices WHERE app = $1 AND installation = $2 AND environment = $3 RETURNING installation",
                [.integer(number), .text(installation.rawValue), .number(environment.stored)]
            )
            guard removed != nil else { return false }
            try connection.tell(.deleted, [installation], app: number, in: environment, now: now)
            try connection.receive()
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
        return try await self.read { connection in
            guard let number = try connection.number(of: app) else { return Page(elements: [], next: nil) }
            try connection.queue(AudienceQuery.inOrder)
            let reply = try connection.queue(
                "\(Self.deviceColumns) WHERE app = $1 AND environment = $2 AND number > $3 ORDER BY number LIMIT $4",
                [
                    .integer(number), .number(environment.stored), .integer(cursor?.rawValue ?? 0), .number(limit + 1),
                ]
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
}
