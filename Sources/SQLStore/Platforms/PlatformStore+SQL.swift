// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
public import PushStore

extension PlatformStore where Self: SQLBacked {
    @discardableResult
    public func putApplication(
        _ application: PlatformApplication,
        credential: Credential
    ) async throws -> PlatformApplication {
        try await self.sql.write(retriesConflicts: true) { transaction in
            try transaction.insert(
                App(
                    id: application.app,
                    defaultEnvironment: application.environment,
                    createdAt: application.createdAt
                )
            )
            let app = try transaction.lockedNumber(of: application.app)
            guard let known = try transaction.lockedApplication(application.name) else {
                try transaction.insert(credential, app: app)
                try transaction.insert(application, app: app)
                return application
            }
            let changed = try application.replacing(known)
            try transaction.replace(known.credential, by: credential, app: app)
            try transaction.update(changed)
            return changed
        }
    }

    public func application(_ name: PlatformApplication.Name) async throws -> PlatformApplication? {
        try await self.sql.lookUp { reader in
            try reader.first("\(SQL.applications) WHERE \(name.condition)").map(PlatformApplication.init(stored:))
        }
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
            application.set(attributes)
            if let credential {
                let app = try transaction.lockedNumber(of: application.app)
                try transaction.replace(application.credential, by: credential, app: app)
                application.credential = credential.id
            }
            try transaction.update(application)
            return application
        }
    }

    @discardableResult
    public func removeApplication(_ name: PlatformApplication.Name) async throws -> PlatformApplication? {
        try await self.sql.write { transaction in
            guard let application = try transaction.lockedApplication(name) else { return nil }
            try transaction.run("DELETE FROM platform_applications WHERE \(name.condition)")
            try transaction.run("DELETE FROM credentials WHERE id = \(application.credential)")
            return application
        }
    }
}

extension SQLExecutor {
    /// A platform application, which nothing else changes before the transaction ends.
    fileprivate func lockedApplication(_ name: PlatformApplication.Name) throws -> PlatformApplication? {
        try self.first(
            "\(SQL.applications) WHERE \(name.condition)\(lock: " FOR UPDATE OF platform_applications")"
        ).map(PlatformApplication.init(stored:))
    }

    fileprivate func insert(_ application: PlatformApplication, app: Int64) throws {
        try self.run(
            """
            INSERT INTO platform_applications (platform, name, app, environment, credential, attributes, created_at)
            VALUES (\(application.name.platform), \(application.name.text), \(app), \(application.environment),
                \(application.credential), \(StoredJSON.encode(application.attributes)), \(application.createdAt))
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

    fileprivate func replace(_ old: CredentialID, by credential: Credential, app: Int64) throws {
        try self.run("DELETE FROM credentials WHERE id = \(old)")
        try self.insert(credential, app: app)
    }
}

extension SQL {
    /// Reads platform applications; a condition follows.
    ///
    /// The join order keeps SQLite from sorting them.
    static let applications: SQL = """
        SELECT platform_applications.*, apps.id AS app_id FROM platform_applications
        \(SQL.orderedJoin) apps ON apps.number = platform_applications.app
        """
}

extension PlatformApplication.Name {
    /// The condition of the application of this name.
    var condition: SQL {
        "platform_applications.platform = \(self.platform) AND platform_applications.name = \(self.text)"
    }
}
