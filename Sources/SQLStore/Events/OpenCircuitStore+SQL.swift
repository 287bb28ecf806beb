// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension OpenCircuitStore where Self: SQLBacked {
    public func notePause(_ pause: OpenCircuit) async throws {
        // The lock makes a transaction that removes the app wait.
        try await self.sql.run(
            """
            INSERT INTO delivery_pauses
                (app, environment, credential, push_types, cause, reason, since, next_attempt)
            SELECT number, \(pause.line.environment), \(pause.line.credential), \(pause.storedPushTypes),
                \(pause.cause), \(pause.reason), \(pause.since), \(pause.nextProbeAt)
            FROM apps WHERE id = \(pause.line.app)\(lock: " FOR KEY SHARE")
            ON CONFLICT (app, environment, credential) DO UPDATE SET push_types = excluded.push_types,
                cause = excluded.cause, reason = excluded.reason, since = excluded.since,
                next_attempt = excluded.next_attempt
            """
        )
    }

    public func endPause(of line: OpenCircuit.Circuit) async throws {
        let condition: SQL = """
            app = \(SQL.number(of: line.app)) AND environment = \(line.environment)
                AND credential = \(line.credential)
            """
        guard try await self.sql.finds("SELECT 1 FROM delivery_pauses WHERE \(condition)") else { return }
        try await self.sql.run("DELETE FROM delivery_pauses WHERE \(condition)")
    }

    public func pauses(holdingUp notification: NotificationID, now: Date) async throws -> [OpenCircuit] {
        try await self.sql.read { reader in
            let pauses = try reader.rows(
                """
                SELECT delivery_pauses.*, apps.id AS app_id FROM notifications
                JOIN delivery_pauses ON delivery_pauses.app = notifications.app
                JOIN apps ON apps.number = notifications.app
                WHERE notifications.id = \(notification.value)
                """
            ).mapReadable(in: "delivery_pauses") { try OpenCircuit(stored: $0) }
            if pauses.isEmpty { return [] }
            let kinds = try reader.rows(
                """
                SELECT DISTINCT batch_kinds.environments, batch_kinds.push_type, apps.id AS app_id FROM batches
                JOIN batch_kinds ON batch_kinds.number = batches.kind
                JOIN apps ON apps.number = batches.app
                WHERE batches.notification = \(notification.value) AND batches.state < 3
                """
            ).mapReadable(in: "batch_kinds") { try RoutingKey(stored: $0) }
            return OpenCircuit.sorted(pauses.filter { pause in kinds.contains { pause.holdsUp($0, now: now) } })
        }
    }

    public func pauses(of app: AppID, now: Date) async throws -> [OpenCircuit] {
        let pauses = try await self.sql.list(
            """
            SELECT delivery_pauses.*, apps.id AS app_id FROM apps
            JOIN delivery_pauses ON delivery_pauses.app = apps.number
            WHERE apps.id = \(app)
            """,
            in: "delivery_pauses"
        ) { try OpenCircuit(stored: $0) }
        return OpenCircuit.sorted(pauses.filter { $0.counts(now: now) })
    }
}
