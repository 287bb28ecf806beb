// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension PostgresStore: DeliveryPauseStore {
    public func notePause(_ pause: DeliveryPause) async throws {
        try await self.write { connection in
            // Whoever removes the app waits for this, or this finds none.
            _ = try connection.queue(
                """
                INSERT INTO delivery_pauses
                    (app, environment, credential, push_types, cause, reason, since, next_attempt)
                SELECT number, $2, $3, $4, $5, $6, $7, $8 FROM apps WHERE id = $1 FOR KEY SHARE
                ON CONFLICT (app, environment, credential) DO UPDATE SET push_types = excluded.push_types,
                    cause = excluded.cause, reason = excluded.reason, since = excluded.since,
                    next_attempt = excluded.next_attempt
                """,
                [
                    .text(pause.line.app.rawValue), .number(pause.line.environment.stored),
                    .text(pause.line.credential.rawValue), .text(pause.storedPushTypes), .text(pause.cause),
                    .text(pause.reason), .integer(pause.since.millisecondsSince1970),
                    .integer(pause.nextAttempt.millisecondsSince1970),
                ]
            )
        }
    }

    public func endPause(of line: DeliveryPause.Line) async throws {
        let values: [PostgresValue] = [
            .text(line.app.rawValue), .number(line.environment.stored), .text(line.credential.rawValue),
        ]
        let condition = """
            app = (SELECT number FROM apps WHERE id = $1) AND environment = $2 AND credential = $3
            """
        let isKnown = try await self.read { connection in
            try connection.row("SELECT 1 FROM delivery_pauses WHERE \(condition)", values) != nil
        }
        guard isKnown else { return }
        try await self.write { connection in
            _ = try connection.queue("DELETE FROM delivery_pauses WHERE \(condition)", values)
        }
    }

    public func pauses(holdingUp notification: NotificationID, now: Date) async throws -> [DeliveryPause] {
        try await self.read { connection in
            let pauses = try connection.rows(
                """
                SELECT delivery_pauses.*, apps.id AS app_id FROM notifications
                JOIN delivery_pauses ON delivery_pauses.app = notifications.app
                JOIN apps ON apps.number = notifications.app
                WHERE notifications.id = $1
                """,
                [.id(notification.value)]
            ).mapReadable(in: "delivery_pauses") { try DeliveryPause(stored: $0) }
            if pauses.isEmpty { return [] }
            let kinds = try connection.rows(
                """
                SELECT DISTINCT batch_kinds.environments, batch_kinds.push_type, apps.id AS app_id FROM batches
                JOIN batch_kinds ON batch_kinds.number = batches.kind
                JOIN apps ON apps.number = batches.app
                WHERE batches.notification = $1 AND batches.state < 3
                """,
                [.id(notification.value)]
            ).mapReadable(in: "batch_kinds") { try BatchKind(stored: $0) }
            return DeliveryPause.holding(up: kinds, among: pauses, now: now)
        }
    }

    public func pauses(of app: AppID, now: Date) async throws -> [DeliveryPause] {
        try await self.read { connection in
            let pauses = try connection.rows(
                """
                SELECT delivery_pauses.*, apps.id AS app_id FROM apps
                JOIN delivery_pauses ON delivery_pauses.app = apps.number
                WHERE apps.id = $1
                """,
                [.text(app.rawValue)]
            ).mapReadable(in: "delivery_pauses") { try DeliveryPause(stored: $0) }
            return DeliveryPause.counting(pauses, now: now)
        }
    }
}

extension PostgresStore: CredentialTroubleStore {
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
            news.add(.recovered(trouble, since: try row.date("since"), time: now), app: try row.int64("app"))
            changes = try connection.commit(news)
            return true
        }
    }
}
