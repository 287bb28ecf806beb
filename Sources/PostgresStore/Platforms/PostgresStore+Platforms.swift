// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
public import PushModel
public import PushStore

extension PostgresStore {
    /// Makes a platform application, and its app where there is none; see `PlatformStore`.
    @discardableResult
    public func putApplication(
        _ application: PlatformApplication,
        credential: Credential
    ) async throws -> PlatformApplication {
        try await self.write(retriesDuplicates: true) { connection in
            _ = try connection.queueInsert(
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

    /// The platform application of that name; see `PlatformStore`.
    public func application(_ name: PlatformApplication.Name) async throws -> PlatformApplication? {
        try await self.read { connection in
            try connection.row(
                "\(PostgresConnection.applications) WHERE platform = $1 AND a.name = $2",
                [.text(name.platform), .text(name.text)]
            ).map(PlatformApplication.init(stored:))
        }
    }

    /// The platform applications; see `PlatformStore`.
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
            return Page(overfull: try rows.map(PlatformApplication.init(stored:)), limit: limit, cursor: \.name)
        }
    }

    /// Sets attributes of a platform application; see `PlatformStore`.
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

    /// Removes a platform application and its credential; see `PlatformStore`.
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
