// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import GRDB
public import PushModel
public import PushStore

extension SQLiteStore: EndpointEventStore {
    /// Leases events; see `EndpointEventStore`.
    public func claimEndpointEvents(
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [StoredEndpointEvent] {
        let time = now.millisecondsSince1970
        let until = now.lease(of: leaseDuration).millisecondsSince1970
        let limit = PageLimit.clamp(limit)
        // Mostly there is none: found out without a change, which would wait for the disk.
        let isIdle = try await self.read { database in
            try database.row("SELECT 1 FROM endpoint_events WHERE due_at <= ? LIMIT 1", [time]) == nil
        }
        if isIdle { return [] }
        return try await self.write { database in
            let events = try database.rows(
                "SELECT * FROM endpoint_events WHERE due_at <= ? ORDER BY due_at, number LIMIT ?",
                [time, limit]
            ).map { try StoredEndpointEvent(stored: $0) }
            for event in events {
                try database.run(
                    "UPDATE endpoint_events SET worker = ?, due_at = ? WHERE number = ?",
                    [worker.rawValue, until, event.number]
                )
            }
            return events
        }
    }

    /// Removes an event; see `EndpointEventStore`.
    public func removeEndpointEvent(_ number: Int64, worker: WorkerID) async throws {
        try await self.write { database in
            _ = try database.run(
                "DELETE FROM endpoint_events WHERE number = ? AND worker = ?",
                [number, worker.rawValue]
            )
        }
    }
}

extension Database {
    /// Stores what became of an endpoint, once for each application that wants to know.
    func tell(
        _ kind: StoredEndpointEvent.Kind,
        _ installation: InstallationID,
        app: Int64,
        in environment: APNsEnvironment,
        now: Date
    ) throws {
        try self.run(
            """
            INSERT INTO endpoint_events (app, platform, name, installation, kind, topic, time, due_at)
            SELECT app, platform, name, ?3, ?4, json_extract(attributes, '$.' || ?4), ?5, ?5 FROM platform_applications
            WHERE app = ?1 AND environment = ?2 AND json_extract(attributes, '$.' || ?4) IS NOT NULL
                AND coalesce((SELECT max(number) FROM endpoint_events), 0)
                    - coalesce((SELECT min(number) FROM endpoint_events), 0) < ?6
            """,
            [
                app, environment.stored, installation.rawValue, kind.rawValue, now.millisecondsSince1970,
                StoredEndpointEvent.maximumCount,
            ]
        )
    }
}
