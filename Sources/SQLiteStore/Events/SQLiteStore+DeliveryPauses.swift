// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: DeliveryPauseStore {
    /// Nothing is sent for a line before the next attempt; see `DeliveryPauseStore`.
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

    /// Something was sent for a line; see `DeliveryPauseStore`.
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

    /// What the batches of a notification wait for; see `DeliveryPauseStore`.
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
            ).map(DeliveryPause.init(stored:))
            if pauses.isEmpty { return [] }
            let kinds = try database.rows(
                """
                SELECT DISTINCT batch_kinds.environments, batch_kinds.push_type, apps.id AS app_id FROM batches
                CROSS JOIN batch_kinds ON batch_kinds.number = batches.kind
                CROSS JOIN apps ON apps.number = batches.app
                WHERE notification = ? AND state < 3
                """,
                [notification.value.stored]
            ).map(BatchKind.init(stored:))
            return DeliveryPause.holding(up: kinds, among: pauses, now: now)
        }
    }

    /// What of an app is paused; see `DeliveryPauseStore`.
    public func pauses(of app: AppID, now: Date) async throws -> [DeliveryPause] {
        try await self.read { database in
            let pauses = try database.rows(
                """
                SELECT delivery_pauses.*, apps.id AS app_id FROM apps
                CROSS JOIN delivery_pauses ON delivery_pauses.app = apps.number
                WHERE apps.id = ?
                """,
                [app.rawValue]
            ).map(DeliveryPause.init(stored:))
            return DeliveryPause.counting(pauses, now: now)
        }
    }
}
