// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: CredentialTroubleStore {
    /// Nothing can be sent for a subject; see `CredentialTroubleStore`.
    @discardableResult
    public func credentialTroubled(_ trouble: CredentialTrouble, now: Date) async throws -> Bool {
        let subject = trouble.subject
        return try await self.write { database, changes in
            let app = try database.requiredNumber(of: subject.app)
            let isNew = try database.run(
                """
                INSERT INTO credential_troubles (app, environment, push_type, reason, code, since)
                VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """,
                [
                    app, subject.environment.stored, subject.pushType.rawValue, trouble.stored.reason,
                    trouble.stored.code, now.millisecondsSince1970,
                ]
            )
            guard isNew > 0 else { return false }
            try database.append(.troubled(trouble, time: now), app: app, signalling: &changes)
            return true
        }
    }

    /// Something was sent for a subject; see `CredentialTroubleStore`.
    @discardableResult
    public func credentialRecovered(_ subject: CredentialTrouble.Subject, now: Date) async throws -> Bool {
        guard try await self.read({ try $0.trouble(of: subject) }) != nil else { return false }
        return try await self.write { database, changes in
            guard let (app, trouble, since) = try database.trouble(of: subject) else { return false }
            try database.run(
                "DELETE FROM credential_troubles WHERE app = ? AND environment = ? AND push_type = ?",
                [app, subject.environment.stored, subject.pushType.rawValue]
            )
            try database.append(.recovered(trouble, since: since, time: now), app: app, signalling: &changes)
            return true
        }
    }
}

extension Database {
    fileprivate func trouble(
        of subject: CredentialTrouble.Subject
    ) throws -> (app: Int64, trouble: CredentialTrouble, since: Date)? {
        let row = try self.row(
            """
            SELECT credential_troubles.* FROM credential_troubles JOIN apps ON apps.number = credential_troubles.app
            WHERE apps.id = ? AND environment = ? AND push_type = ?
            """,
            [subject.app.rawValue, subject.environment.stored, subject.pushType.rawValue]
        )
        guard let row else { return nil }
        let trouble = try CredentialTrouble(stored: row, subject: subject)
        return (Int64(try row.number("app")), trouble, try row.date("since"))
    }
}
