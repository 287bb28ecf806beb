// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension PlatformStore where Self: SQLBacked {
    public func putApplication(
        _ application: PlatformApplication,
        credential: Credential
    ) async throws -> PlatformApplication {
        try await self.sql.write(retriesConflicts: true) { transaction in
            let new = App(
                id: application.app,
                defaultEnvironment: application.environment,
                createdAt: application.createdAt
            )
            if try transaction.insert(new).changes == 1 { try transaction.audit(created: new) }
            let app = try transaction.lockedNumber(of: application.app)
            guard let known = try transaction.lockedApplication(application.name) else {
                var application = application
                application.container = try transaction.container(of: application, app: app)
                try transaction.insert(credential, app: app)
                try transaction.insert(application, app: app)
                try transaction.audit(created: credential)
                try transaction.audit(created: application)
                return application
            }
            let changed = try application.replacing(known)
            try transaction.replace(known.credential, by: credential, app: app)
            try transaction.update(changed)
            try transaction.audit(known, to: changed)
            return changed
        }
    }

    public func application(_ name: PlatformApplication.Name) async throws -> PlatformApplication? {
        try await self.sql.first("\(SQL.applications) WHERE \(name.condition)") { try PlatformApplication(stored: $0) }
    }

    public func applications(
        of app: AppID?,
        after cursor: PlatformApplication.Name?,
        limit: Int
    ) async throws -> Page<PlatformApplication, PlatformApplication.Name> {
        try await self.sql.page(
            """
            \(SQL.applications)
            WHERE (platform, platform_applications.name) > (\(cursor?.platform ?? ""), \(cursor?.text ?? ""))
                AND (\(app) IS NULL OR apps.id = \(app))
            ORDER BY platform, platform_applications.name
            """,
            in: "platform_applications",
            limit: limit,
            cursor: { try PlatformApplication.Name(stored: $0) }
        ) { try PlatformApplication(stored: $0) }
    }

    public func changeApplication(
        _ name: PlatformApplication.Name,
        attributes: [String: String],
        credential: Credential?
    ) async throws -> PlatformApplication? {
        try await self.sql.write { transaction in
            guard var application = try transaction.lockedApplication(name) else { return nil }
            let former = application
            application.set(attributes)
            if let credential {
                let app = try transaction.lockedNumber(of: application.app)
                try transaction.replace(application.credential, by: credential, app: app)
                application.credential = credential.id
            }
            try transaction.update(application)
            try transaction.audit(former, to: application)
            return application
        }
    }

    public func removeApplication(_ name: PlatformApplication.Name) async throws -> PlatformApplication? {
        try await self.sql.write { transaction in
            guard let application = try transaction.lockedApplication(name) else { return nil }
            try transaction.run("DELETE FROM platform_applications WHERE \(name.condition)")
            try transaction.run("DELETE FROM credentials WHERE id = \(application.credential)")
            try transaction.audit(deleted: application)
            return application
        }
    }

    public func addEndpoint(_ draft: NewEndpoint, now: Date) async throws -> (device: Device, isNew: Bool) {
        // An app creates its endpoint at each start. A known one is only read.
        let known = try await self.sql.first(SQL.device(of: draft)) { try Device(stored: $0, app: draft.container.app) }
        if let known { return (known, false) }
        return try await self.sql.driver.groups.endpoints.run((draft, now.keptToMilliseconds)) { calls, waitsBriefly in
            // If two transactions add the same token, the index rejects the slower one. It runs again and finds the
            // device.
            try await self.sql.write(retriesConflicts: true) { transaction in
                if waitsBriefly { try transaction.waitBriefly() }
                return try calls.map { try transaction.add($0.draft, now: $0.now) }
            }
        }
    }

    public func endpoint(
        _ installation: DeviceID,
        of name: PlatformApplication.Name
    ) async throws -> (application: PlatformApplication, endpoint: PlatformEndpoint?)? {
        // Each message to an endpoint reads it, so this is one statement without the profile of the device.
        try await self.sql.first(
            """
            SELECT platform_applications.*, apps.id AS app_id, devices.token, devices.status, devices.status_reason,
                devices.status_since, devices.user_data
            FROM platform_applications
            \(SQL.orderedJoin) apps ON apps.number = platform_applications.app
            LEFT JOIN devices ON devices.app = platform_applications.app
                AND devices.environment = platform_applications.environment
                AND devices.container = platform_applications.container
                AND devices.installation = \(installation)
            WHERE \(name.condition)
            """
        ) { row in
            let application = try PlatformApplication(stored: row)
            guard try row.integer("status") != nil else { return (application, nil) }
            let endpoint = PlatformEndpoint(
                installation: installation,
                target: try Target(stored: row),
                status: try DeviceStatus(stored: row),
                userData: try row.text("user_data")
            )
            return (application, endpoint)
        }
    }

    public func changeEndpoint(
        _ installation: DeviceID,
        in container: EndpointContainer,
        by change: EndpointUpdate,
        now: Date
    ) async throws -> Device? {
        // Another device may register the token just now.
        try await self.sql.write(retriesConflicts: true) { transaction in
            guard let number = try transaction.number(of: container.app),
                let row = try transaction.first(
                    """
                    \(SQL.devices) WHERE app = \(number) AND installation = \(installation)
                        AND \(container.condition)\(lock: " FOR UPDATE")
                    """
                )
            else { return nil }
            let device = try Device(stored: row, app: container.app)
            let changed = change.applied(to: device, now: now)
            if changed.token != device.token {
                let removed = try transaction.rows(
                    """
                    DELETE FROM devices WHERE app = \(number) AND \(container.condition)
                        AND token = \(changed.token) AND installation <> \(installation)
                    RETURNING installation
                    """
                )
                for row in removed {
                    let other = try row.identifier("installation", DeviceID.self)
                    try transaction.tell(.deleted, other, app: number, in: container, now: now)
                }
            }
            let status = changed.status.stored
            try transaction.run(
                """
                UPDATE devices SET token = \(changed.token), registered_at = \(changed.registeredAt),
                    seen_at = \(changed.seenAt), status = \(status.number), status_reason = \(status.reason),
                    status_since = \(status.since), user_data = \(changed.userData)
                WHERE app = \(number) AND installation = \(changed.installation)
                """
            )
            try transaction.tell(.updated, installation, app: number, in: container, now: now)
            return changed
        }
    }

    public func removeEndpoint(
        _ installation: DeviceID,
        of application: PlatformApplication,
        now: Date
    ) async throws -> Bool {
        try await self.sql.write { transaction in
            guard let app = try transaction.lockedNumberIfFound(of: application.app),
                let row = try transaction.first(
                    """
                    SELECT number FROM devices WHERE app = \(app) AND installation = \(installation)
                        AND \(application.endpoints.condition)\(lock: " FOR UPDATE")
                    """
                )
            else { return false }
            let device = try row.int64("number")
            let isOfDevice: SQL =
                transaction.dialect == .sqlite ? "device = \(device)" : "app = \(app) AND device = \(device)"
            let endpoint = "\(application.name)/\(installation)"
            try transaction.run("UPDATE subscriptions SET device = NULL, endpoint = \(endpoint) WHERE \(isOfDevice)")
            try transaction.run("DELETE FROM devices WHERE app = \(app) AND number = \(device)")
            try transaction.tell(.deleted, installation, app: app, in: application.endpoints, now: now)
            return true
        }
    }

    public func endpoints(
        in container: EndpointContainer,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<Device, Int64> {
        guard !container.name.isEmpty else {
            return try await self.sql.read {
                try $0.devices(of: container.app, where: container.condition, after: cursor, limit: limit)
            }
        }
        // By the index of the containers other than that of the app's own devices.
        return try await self.sql.page(
            """
            \(SQL.devices) WHERE app = \(SQL.number(of: container.app)) AND \(container.condition)
                AND container <> '' AND number > \(cursor ?? 0) ORDER BY number
            """,
            in: "devices",
            limit: limit,
            cursor: { try $0.int64("number") }
        ) { try Device(stored: $0, app: container.app) }
    }
}

extension SQLTransaction {
    fileprivate func add(_ draft: NewEndpoint, now: Date) throws -> (device: Device, isNew: Bool) {
        let app = try self.lockedNumber(of: draft.container.app)
        if let known = try self.first(SQL.device(of: draft)) {
            return (try Device(stored: known, app: draft.container.app), false)
        }
        var registration = DeviceRegistration(
            app: draft.container.app,
            installation: draft.installation,
            token: draft.token,
            environment: draft.container.environment
        )
        registration.container = draft.container.name
        let change = EndpointUpdate(isEnabled: draft.isEnabled, userData: draft.userData ?? "")
        let device = change.applied(to: Device(registration, createdAt: now, now: now), now: now)
        try self.insert(endpoint: device, app: app)
        try self.tell(.created, device.installation, app: app, in: draft.container, now: now)
        return (device, true)
    }
}

extension SQLTransaction {
    fileprivate func replace(_ old: CredentialID, by credential: Credential, app: Int64) throws {
        try self.run("DELETE FROM credentials WHERE id = \(old)")
        try self.insert(credential, app: app)
        try self.audit(created: credential)
    }
}

extension SQLExecutor {
    /// A platform application, which nothing else changes before the transaction ends.
    fileprivate func lockedApplication(_ name: PlatformApplication.Name) throws -> PlatformApplication? {
        try self.first(
            "\(SQL.applications) WHERE \(name.condition)\(lock: " FOR UPDATE OF platform_applications")"
        ).map(PlatformApplication.init(stored:))
    }

    /// The container of a new application.
    ///
    /// It locks the app, so that two applications do not get the same one.
    fileprivate func container(of application: PlatformApplication, app: Int64) throws -> String {
        try self.lock("SELECT 1 FROM apps WHERE number = \(app) FOR NO KEY UPDATE")
        let own = application.name.description
        let isTaken = try self.first(
            """
            SELECT 1 FROM platform_applications
            WHERE app = \(app) AND environment = \(application.environment) AND container = ''
            UNION ALL SELECT 1 FROM devices WHERE app = \(app) AND container = \(own) AND container <> '' LIMIT 1
            """
        )
        return isTaken == nil ? "" : own
    }

    fileprivate func insert(_ application: PlatformApplication, app: Int64) throws {
        try self.run(
            """
            INSERT INTO platform_applications (platform, name, app, environment, credential, attributes, created_at,
                container)
            VALUES (\(application.name.platform), \(application.name.text), \(app), \(application.environment),
                \(application.credential), \(StoredJSON.encode(application.attributes)), \(application.createdAt),
                \(application.container))
            """
        )
    }

    fileprivate func update(_ application: PlatformApplication) throws {
        try self.run(
            """
            UPDATE platform_applications SET credential = \(application.credential),
                attributes = \(StoredJSON.encode(application.attributes))
            WHERE \(application.name.condition)
            """
        )
    }

    fileprivate func insert(endpoint device: Device, app: Int64) throws {
        let status = device.status.stored
        let number: SQL =
            switch self.dialect {
            case .sqlite: "\(try self.nextDeviceNumber(app: app))"
            case .postgres: "nextval('device_numbers')"
            }
        try self.run(
            """
            INSERT INTO devices (number, app, status, status_reason, status_since, environment, token, registered_at,
                seen_at, created_at, installation, user_data, container)
            VALUES (\(number), \(app), \(status.number), \(status.reason), \(status.since), \(device.environment),
                \(device.token), \(device.registeredAt), \(device.seenAt), \(device.createdAt),
                \(device.installation), \(device.userData), \(device.container))
            """
        )
    }
}

extension SQL {
    /// Reads platform applications; a condition follows, and the join order keeps SQLite from sorting them.
    static let applications: SQL = """
        SELECT platform_applications.*, apps.id AS app_id FROM platform_applications
        \(SQL.orderedJoin) apps ON apps.number = platform_applications.app
        """

    /// Finds the device that has the token of an endpoint.
    fileprivate static func device(of draft: NewEndpoint) -> SQL {
        """
        \(SQL.devices) WHERE app = \(SQL.number(of: draft.container.app)) AND \(draft.container.condition)
            AND token = \(draft.token)
        """
    }
}

extension EndpointContainer {
    /// A condition of the devices of the app.
    fileprivate var condition: SQL { "environment = \(self.environment) AND container = \(self.name)" }
}

extension PlatformApplication.Name {
    var condition: SQL {
        "platform_applications.platform = \(self.platform) AND platform_applications.name = \(self.text)"
    }
}
