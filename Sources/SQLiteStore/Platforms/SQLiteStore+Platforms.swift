// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore {
    /// Makes a platform application, and its app where there is none; see `PlatformStore`.
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

    /// The platform application of that name; see `PlatformStore`.
    public func application(_ name: PlatformApplication.Name) async throws -> PlatformApplication? {
        try await self.lookUp { try $0.application(name) }
    }

    /// The platform applications; see `PlatformStore`.
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
            return Page(overfull: try rows.map(PlatformApplication.init(stored:)), limit: limit, cursor: \.name)
        }
    }

    /// Sets attributes of a platform application; see `PlatformStore`.
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

    /// Removes a platform application and its credential; see `PlatformStore`.
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

    /// The platform application of that name, or `nil`.
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
