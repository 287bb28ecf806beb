// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: EndpointEventStore {
    public func claimEndpointEvents(
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> EndpointEventClaim {
        let time = now.millisecondsSince1970
        let until = now.lease(of: leaseDuration).millisecondsSince1970
        let limit = PageLimit.clamp(limit)
        // Mostly there is none: found out without a change, which would wait for the disk.
        let isIdle = try await self.read { database in
            try database.row(
                """
                SELECT 1 FROM endpoint_event_drops
                UNION ALL SELECT 1 FROM endpoint_events WHERE due_at <= ? LIMIT 1
                """,
                [time]
            ) == nil
        }
        if isIdle { return EndpointEventClaim() }
        let aside = now.lease(of: StoredEndpointEvent.keptAside).millisecondsSince1970
        return try await self.write { database in
            var claim = EndpointEventClaim()
            for row in try database.rows("DELETE FROM endpoint_event_drops RETURNING count") {
                claim.dropped += try row.number("count")
            }
            let rows = try database.rows(
                "SELECT * FROM endpoint_events WHERE due_at <= ? ORDER BY due_at, number LIMIT ?",
                [time, limit]
            )
            for row in rows {
                let number = try row.int64("number")
                if try row.text("worker") == StoredEndpointEvent.asideMark {
                    try database.run("DELETE FROM endpoint_events WHERE number = ?", [number])
                    continue
                }
                let event = try row.readable(in: "endpoint_events") { try StoredEndpointEvent(stored: $0) }
                try database.run(
                    "UPDATE endpoint_events SET worker = ?, due_at = ? WHERE number = ?",
                    [
                        event == nil ? StoredEndpointEvent.asideMark : worker.rawValue, event == nil ? aside : until,
                        number,
                    ]
                )
                if let event {
                    claim.events.append(event)
                } else {
                    claim.damaged.append(number)
                    try LeaseSQL(database: database)
                        .list(.endpointEvent, String(number), as: .unreadable, now: now)
                }
            }
            return claim
        }
    }

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
    ///
    /// The application that is told of the failure of the notification that was sent then is left out.
    func tell(
        _ kind: StoredEndpointEvent.Kind,
        _ installation: InstallationID,
        app: Int64,
        in environment: APNsEnvironment,
        sending notification: NotificationID? = nil,
        now: Date
    ) throws {
        let wanting = try self.rows(
            """
            SELECT platform, name, json_extract(attributes, '$.' || ?3) AS topic FROM platform_applications
            WHERE app = ?1 AND environment = ?2 AND json_extract(attributes, '$.' || ?3) IS NOT NULL
                AND NOT EXISTS (
                    SELECT 1 FROM endpoint_publications AS told WHERE told.notification = ?4
                        AND told.platform = platform_applications.platform AND told.name = platform_applications.name
                )
            """,
            [app, environment.stored, kind.rawValue, notification?.value.stored]
        )
        for row in wanting { try self.insert(kind, installation.rawValue, app: app, asWantedBy: row, now: now) }
    }

    /// Stores that what was published to an endpoint alone has failed, where the application wants to know.
    func tell(of failure: EndpointFailure, app: Int64, now: Date) throws {
        let kind = StoredEndpointEvent.Kind.failed
        let wanting = try self.rows(
            """
            SELECT told.platform, told.name, told.installation, json_extract(attributes, '$.' || ?2) AS topic
            FROM endpoint_publications AS told JOIN platform_applications USING (platform, name)
            WHERE told.notification = ?1 AND json_extract(attributes, '$.' || ?2) IS NOT NULL
            """,
            [failure.notification.value.stored, kind.rawValue]
        )
        for row in wanting {
            try self.insert(kind, row.string("installation"), app: app, asWantedBy: row, failure, now: now)
        }
    }

    /// Adds what is known of a notification's endpoint.
    func insert(_ publication: EndpointPublication, of notification: NotificationID) throws {
        try self.run(
            "INSERT INTO endpoint_publications (notification, platform, name, installation) VALUES (?, ?, ?, ?)",
            [
                notification.value.stored, publication.application.platform, publication.application.text,
                publication.installation.rawValue,
            ]
        )
    }

    /// Adds an event, or counts it where there is no room; how many wait is only counted where their numbers leave it open.
    private func insert(
        _ kind: StoredEndpointEvent.Kind,
        _ installation: String,
        app: Int64,
        asWantedBy row: Row,
        _ failure: EndpointFailure? = nil,
        now: Date
    ) throws {
        let added = try self.run(
            """
            INSERT INTO endpoint_events (app, platform, name, installation, kind, topic, time, due_at, notification,
                failure, reason)
            SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9, ?10
            WHERE coalesce((SELECT max(number) FROM endpoint_events), 0)
                    - coalesce((SELECT min(number) FROM endpoint_events), 0) < ?11 - 1
                OR (SELECT count(*) FROM (SELECT 1 FROM endpoint_events LIMIT ?11)) < ?11
            """,
            [
                app, try row.string("platform"), try row.string("name"), installation, kind.rawValue,
                try row.string("topic"), now.millisecondsSince1970, failure?.notification.value.stored,
                failure?.kind.rawValue, failure?.reason, StoredEndpointEvent.maximumCount,
            ]
        )
        guard added == 0 else { return }
        try self.run(
            """
            INSERT INTO endpoint_event_drops (number, count) VALUES (1, 1)
            ON CONFLICT DO UPDATE SET count = count + excluded.count
            """
        )
    }
}
