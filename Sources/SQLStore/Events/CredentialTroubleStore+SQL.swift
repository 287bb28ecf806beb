// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension CredentialTroubleStore where Self: SQLBacked {
    @discardableResult
    public func credentialTroubled(_ trouble: CredentialTrouble, now: Date) async throws -> Bool {
        let subject = trouble.subject
        return try await self.sql.write { transaction in
            let app = try transaction.lockedNumber(of: subject.app)
            let added = try transaction.run(
                """
                INSERT INTO credential_troubles (app, environment, push_type, reason, code, since)
                VALUES (\(app), \(subject.environment), \(subject.pushType.rawValue), \(trouble.stored.reason),
                    \(trouble.stored.code), \(now))
                ON CONFLICT DO NOTHING
                """
            )
            guard try added.changes > 0 else { return false }
            transaction.append(.troubled(trouble, time: now), app: app)
            return true
        }
    }

    @discardableResult
    public func credentialRecovered(_ subject: CredentialTrouble.Subject, now: Date) async throws -> Bool {
        let condition: SQL = """
            app = \(SQL.number(of: subject.app)) AND environment = \(subject.environment)
                AND push_type = \(subject.pushType.rawValue)
            """
        guard try await self.sql.finds("SELECT 1 FROM credential_troubles WHERE \(condition)") else { return false }
        return try await self.sql.write { transaction in
            let row = try transaction.first("DELETE FROM credential_troubles WHERE \(condition) RETURNING *")
            guard let row else { return false }
            let trouble = try CredentialTrouble(stored: row, subject: subject)
            transaction.append(.recovered(trouble, since: try row.date("since"), time: now), app: try row.int64("app"))
            return true
        }
    }
}
