// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension PostgresStore: CredentialTroubleStore {
    /// Nothing can be sent for a subject; see `CredentialTroubleStore`.
    @discardableResult
    public func credentialTroubled(_ trouble: CredentialTrouble, now: Date) async throws -> Bool {
        let subject = trouble.subject
        return try await self.write { connection, changes in
            let app = try connection.lockedNumber(of: subject.app)
            let added = try connection.queue(
                """
                INSERT INTO credential_troubles (app, environment, push_type, reason, code, since)
                VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING
                """,
                [
                    .integer(app), .number(subject.environment.stored), .text(subject.pushType.rawValue),
                    .text(trouble.stored.reason), .text(trouble.stored.code), .integer(now.millisecondsSince1970),
                ]
            )
            try connection.receive()
            guard added.changes > 0 else { return false }
            var news = FeedNews()
            news.add(.troubled(trouble, time: now), app: app)
            changes = try connection.commit(news)
            return true
        }
    }

    /// Something was sent for a subject; see `CredentialTroubleStore`.
    @discardableResult
    public func credentialRecovered(_ subject: CredentialTrouble.Subject, now: Date) async throws -> Bool {
        let values: [PostgresValue] = [
            .text(subject.app.rawValue), .number(subject.environment.stored), .text(subject.pushType.rawValue),
        ]
        let condition = """
            app = (SELECT number FROM apps WHERE id = $1) AND environment = $2 AND push_type = $3
            """
        let isKnown = try await self.read { connection in
            try connection.row("SELECT 1 FROM credential_troubles WHERE \(condition)", values) != nil
        }
        guard isKnown else { return false }
        return try await self.write { connection, changes in
            let row = try connection.row("DELETE FROM credential_troubles WHERE \(condition) RETURNING *", values)
            guard let row else { return false }
            let trouble = try CredentialTrouble(stored: row, subject: subject)
            var news = FeedNews()
            news.add(.recovered(trouble, since: try row.date("since"), time: now), app: Int64(try row.number("app")))
            changes = try connection.commit(news)
            return true
        }
    }
}
