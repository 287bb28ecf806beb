// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: DeliveryPauseStore {
    public func notePause(_ pause: DeliveryPause) async throws {
        try await self.write { database, _ in
            guard let app = try database.number(of: pause.line.app) else { return }
            try database.run(
                """
                INSERT INTO delivery_pauses
                    (app, environment, credential, push_types, cause, reason, since, next_attempt)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET push_types = excluded.push_types, cause = excluded.cause,
                    reason = excluded.reason, since = excluded.since, next_attempt = excluded.next_attempt
                """,
                [
                    app, pause.line.environment.stored, pause.line.credential.rawValue, pause.storedPushTypes,
                    pause.cause, pause.reason, pause.since.millisecondsSince1970,
                    pause.nextAttempt.millisecondsSince1970,
                ]
            )
        }
    }

    public func endPause(of line: DeliveryPause.Line) async throws {
        let isKnown = try await self.read { database in
            guard let app = try database.number(of: line.app) else { return false }
            return try database.row(
                "SELECT 1 FROM delivery_pauses WHERE app = ? AND environment = ? AND credential = ?",
                [app, line.environment.stored, line.credential.rawValue]
            ) != nil
        }
        guard isKnown else { return }
        try await self.write { database, _ in
            guard let app = try database.number(of: line.app) else { return }
            try database.run(
                "DELETE FROM delivery_pauses WHERE app = ? AND environment = ? AND credential = ?",
                [app, line.environment.stored, line.credential.rawValue]
            )
        }
    }

    public func pauses(holdingUp notification: NotificationID, now: Date) async throws -> [DeliveryPause] {
        try await self.read { database in
            let pauses = try database.rows(
                """
                SELECT delivery_pauses.*, apps.id AS app_id FROM notifications
                CROSS JOIN delivery_pauses ON delivery_pauses.app = notifications.app
                CROSS JOIN apps ON apps.number = notifications.app
                WHERE notifications.id = ?
                """,
                [notification.value.stored]
            ).mapReadable(in: "delivery_pauses") { try DeliveryPause(stored: $0) }
            if pauses.isEmpty { return [] }
            let kinds = try database.rows(
                """
                SELECT DISTINCT batch_kinds.environments, batch_kinds.push_type, apps.id AS app_id FROM batches
                CROSS JOIN batch_kinds ON batch_kinds.number = batches.kind
                CROSS JOIN apps ON apps.number = batches.app
                WHERE notification = ? AND state < 3
                """,
                [notification.value.stored]
            ).mapReadable(in: "batch_kinds") { try BatchKind(stored: $0) }
            return DeliveryPause.holding(up: kinds, among: pauses, now: now)
        }
    }

    public func pauses(of app: AppID, now: Date) async throws -> [DeliveryPause] {
        try await self.read { database in
            let pauses = try database.rows(
                """
                SELECT delivery_pauses.*, apps.id AS app_id FROM apps
                CROSS JOIN delivery_pauses ON delivery_pauses.app = apps.number
                WHERE apps.id = ?
                """,
                [app.rawValue]
            ).mapReadable(in: "delivery_pauses") { try DeliveryPause(stored: $0) }
            return DeliveryPause.counting(pauses, now: now)
        }
    }
}

extension SQLiteStore: CredentialTroubleStore {
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
        return (try row.int64("app"), trouble, try row.date("since"))
    }
}
