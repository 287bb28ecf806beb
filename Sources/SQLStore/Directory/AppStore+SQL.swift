// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import PushModel
public import PushStore

extension AppStore where Self: SQLBacked {
    public func createApp(_ app: App) async throws {
        try await self.sql.write { transaction in
            guard try transaction.insert(app).changes == 1 else { throw StoreError.taken("an app '\(app.id)'") }
            try transaction.audit(created: app)
        }
    }

    public func updateApp(_ app: App) async throws -> Bool {
        try await self.sql.write { transaction in
            let row = try transaction.first("SELECT * FROM apps WHERE id = \(app.id)\(lock: " FOR NO KEY UPDATE")")
            guard let former = try row.map(App.init(stored:)) else { return false }
            try transaction.run(
                """
                UPDATE apps SET name = \(app.name), default_environment = \(app.defaultEnvironment),
                    installation_secrets = \(app.storedSecretMode),
                    installations_bind_until = \(app.installationSecrets.bindsUntil),
                    activity_joins = \(app.storedJoins), attestation = \(app.storedAttestation),
                    team_id = \(app.attestation.teamID)
                WHERE id = \(app.id)
                """
            )
            try transaction.audit(former, to: app)
            return true
        }
    }

    public func app(_ id: AppID) async throws -> App? {
        try await self.sql.first("SELECT * FROM apps WHERE id = \(id)") { try App(stored: $0) }
    }

    public func apps(after cursor: AppID?, limit: Int) async throws -> Page<App, AppID> {
        try await self.sql.page(
            "SELECT * FROM apps WHERE id > \(cursor?.rawValue ?? "") ORDER BY id",
            in: "apps",
            limit: limit,
            cursor: { AppID(unchecked: try $0.string("id")) }
        ) { try App(stored: $0) }
    }
}

extension SQLExecutor {
    /// Adds an app; changes nothing if there is one of that ID.
    @discardableResult
    package func insert(_ app: App) throws -> any SQLResult {
        let result = try self.run(
            """
            INSERT INTO apps (id, name, default_environment, created_at, installation_secrets,
                installations_bind_until, activity_joins, attestation, team_id)
            VALUES (\(app.id), \(app.name), \(app.defaultEnvironment), \(app.createdAt), \(app.storedSecretMode),
                \(app.installationSecrets.bindsUntil), \(app.storedJoins), \(app.storedAttestation),
                \(app.attestation.teamID))
            ON CONFLICT DO NOTHING
            """
        )
        if self.dialect == .postgres {
            try self.run(
                """
                INSERT INTO event_feeds (app, horizon) SELECT number, 0 FROM apps WHERE id = \(app.id)
                ON CONFLICT DO NOTHING
                """
            )
        }
        return result
    }

    /// Records in the audit log that an app is deleted.
    package func audit(deleted id: AppID, origin: AuditOrigin?) throws {
        guard let app = try self.first("SELECT * FROM apps WHERE id = \(id)").map(App.init(stored:)) else { return }
        try self.append(
            AuditAction(.app, .deleted),
            of: id.rawValue,
            app: id,
            before: .object(app.auditState),
            after: nil,
            origin: origin
        )
    }

    /// The number of an app in other tables; `nil` if there is no such app.
    package func number(of app: AppID) throws -> Int64? {
        try self.first("SELECT number FROM apps WHERE id = \(app)")?.int64("number")
    }

    /// The number of an app in other tables; nothing can remove the app before the transaction ends.
    package func lockedNumber(of app: AppID) throws -> Int64 {
        guard let number = try self.lockedNumberIfFound(of: app) else { throw StoreError.noApp(app) }
        return number
    }

    func lockedNumberIfFound(of app: AppID) throws -> Int64? {
        try self.map(SQLStatement.lockApp([.identifier(app)])) { try $0.int64("number") }.first
    }

    /// Locks apps in one order, without a wait for them; nothing can remove them before the transaction ends.
    func lockApps(_ apps: Set<AppID>) throws -> any SQLResult {
        try self.run(
            "SELECT id, number FROM apps WHERE id \(each: apps.sorted())\(lock: " ORDER BY number FOR KEY SHARE")"
        )
    }
}

extension App {
    fileprivate var storedSecretMode: Int { self.installationSecrets.mode == .required ? 1 : 0 }
    fileprivate var storedJoins: Int { self.activityJoins == .named ? 1 : 0 }
    fileprivate var storedAttestation: Int {
        switch self.attestation.mode {
        case .off: 0
        case .report: 1
        case .required: 2
        }
    }
}

extension SQLResult {
    /// The numbers of the apps that exist, by their IDs.
    var appNumbers: [AppID: Int64] {
        get throws {
            try self.rows.reduce(into: [:]) { $0[AppID(unchecked: try $1.string("id"))] = try $1.int64("number") }
        }
    }
}

extension SQLStatement {
    fileprivate static let lockApp = SQLStatement("SELECT number FROM apps WHERE id = $1\(lock: " FOR KEY SHARE")")
}

extension SQL {
    /// The number of an app in other tables, as a subquery; NULL if there is no such app.
    static func number(of app: AppID) -> SQL { "(SELECT number FROM apps WHERE id = \(app))" }
}
