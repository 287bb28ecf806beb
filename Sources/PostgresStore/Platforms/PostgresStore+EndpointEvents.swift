// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension PostgresStore: EndpointEventStore {
    /// Leases events; see `EndpointEventStore`.
    public func claimEndpointEvents(
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [StoredEndpointEvent] {
        let time = PostgresValue.integer(now.millisecondsSince1970)
        let until = now.lease(of: leaseDuration).millisecondsSince1970
        let limit = PageLimit.clamp(limit)
        // Mostly there is none: found out without a transaction that locks.
        let isIdle = try await self.read { connection in
            try connection.row("SELECT 1 FROM endpoint_events WHERE due_at <= $1 LIMIT 1", [time]) == nil
        }
        if isIdle { return [] }
        return try await self.write { connection in
            let events = try connection.rows(
                """
                SELECT * FROM endpoint_events WHERE due_at <= $1 ORDER BY due_at, number LIMIT $2
                FOR UPDATE SKIP LOCKED
                """,
                [time, .number(limit)]
            ).map { try StoredEndpointEvent(stored: $0) }
            try connection.queue(
                "UPDATE endpoint_events SET worker = $2, due_at = $3 WHERE number = ANY($1::bigint[])",
                [.integers(events.map(\.number)), .text(worker.rawValue), .integer(until)]
            )
            return events
        }
    }

    /// Removes an event; see `EndpointEventStore`.
    public func removeEndpointEvent(_ number: Int64, worker: WorkerID) async throws {
        try await self.write { connection in
            try connection.queue(
                "DELETE FROM endpoint_events WHERE number = $1 AND worker = $2",
                [.integer(number), .text(worker.rawValue)]
            )
            try connection.receive()
        }
    }
}

extension PostgresConnection {
    /// Queues that what became of endpoints is stored, once for each of them and each application that wants to know.
    func tell(
        _ kind: StoredEndpointEvent.Kind,
        _ installations: [InstallationID],
        app: Int64,
        in environment: APNsEnvironment,
        now: Date
    ) throws {
        try self.queue(
            """
            INSERT INTO endpoint_events (app, platform, name, installation, kind, topic, time, due_at)
            SELECT app, platform, name, told.installation, $4, attributes::json ->> $4, $5, $5
            FROM platform_applications CROSS JOIN unnest($3::text[]) AS told (installation)
            WHERE app = $1 AND environment = $2 AND attributes::json ->> $4 IS NOT NULL
                AND coalesce((SELECT max(number) FROM endpoint_events), 0)
                    - coalesce((SELECT min(number) FROM endpoint_events), 0) < $6
            """,
            [
                .integer(app), .number(environment.stored), .texts(installations.map(\.rawValue)),
                .text(kind.rawValue), .integer(now.millisecondsSince1970), .number(StoredEndpointEvent.maximumCount),
            ]
        )
    }
}
