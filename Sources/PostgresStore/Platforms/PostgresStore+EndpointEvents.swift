// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension PostgresStore: EndpointEventStore {
    public func claimEndpointEvents(
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> EndpointEventClaim {
        let time = PostgresValue.integer(now.millisecondsSince1970)
        let until = now.lease(of: leaseDuration).millisecondsSince1970
        let limit = PageLimit.clamp(limit)
        // Mostly there is none: found out without a transaction that locks.
        let isIdle = try await self.read { connection in
            try connection.row(
                """
                SELECT 1 FROM endpoint_event_drops
                UNION ALL SELECT 1 FROM endpoint_events WHERE due_at <= $1 LIMIT 1
                """,
                [time]
            ) == nil
        }
        if isIdle { return EndpointEventClaim() }
        let aside = now.lease(of: StoredEndpointEvent.keptAside).millisecondsSince1970
        return try await self.write { connection in
            var claim = EndpointEventClaim()
            let drops = try connection.queue(
                """
                DELETE FROM endpoint_event_drops WHERE process IN (
                    SELECT process FROM endpoint_event_drops FOR UPDATE SKIP LOCKED
                ) RETURNING count
                """
            )
            let found = try connection.rows(
                """
                SELECT * FROM endpoint_events WHERE due_at <= $1 ORDER BY due_at, number LIMIT $2
                FOR UPDATE SKIP LOCKED
                """,
                [time, .number(limit)]
            )
            for row in drops.rows { claim.dropped += try row.number("count") }
            var old: [Int64] = []
            for row in found {
                let number = try row.int64("number")
                if try row.text("worker") == StoredEndpointEvent.asideMark {
                    old.append(number)
                } else if let event = try row.readable(in: "endpoint_events", { try StoredEndpointEvent(stored: $0) }) {
                    claim.events.append(event)
                } else {
                    claim.damaged.append(number)
                    try LeaseSession(connection: connection)
                        .list(.endpointEvent, String(number), as: .unreadable, now: now)
                }
            }
            let lease = "UPDATE endpoint_events SET worker = $2, due_at = $3 WHERE number = ANY($1::bigint[])"
            try connection.queue(
                lease,
                [.integers(claim.events.map(\.number)), .text(worker.rawValue), .integer(until)]
            )
            try connection.queue(
                lease,
                [.integers(claim.damaged), .text(StoredEndpointEvent.asideMark), .integer(aside)]
            )
            try connection.queue("DELETE FROM endpoint_events WHERE number = ANY($1::bigint[])", [.integers(old)])
            return claim
        }
    }

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
    ///
    /// The application that is told of the failure of the notification that was sent then is left out.
    func tell(
        _ kind: StoredEndpointEvent.Kind,
        _ installations: [InstallationID],
        app: Int64,
        in environment: APNsEnvironment,
        sending notification: NotificationID? = nil,
        now: Date
    ) throws {
        try self.queue(
            """
            WITH wanted AS (
                SELECT app, platform, name, news.installation, $1 AS kind, attributes::json ->> $1 AS topic,
                    NULL::uuid AS notification, NULL::text AS failure, NULL::text AS reason
                FROM platform_applications CROSS JOIN unnest($6::text[]) AS news (installation)
                WHERE app = $4 AND environment = $5 AND attributes::json ->> $1 IS NOT NULL AND NOT EXISTS (
                    SELECT FROM endpoint_publications AS told WHERE told.notification = $7
                        AND told.platform = platform_applications.platform AND told.name = platform_applications.name
                )
            )
            \(Self.insertion)
            """,
            [
                .text(kind.rawValue), .integer(now.millisecondsSince1970), .number(StoredEndpointEvent.maximumCount),
                .integer(app), .number(environment.stored), .texts(installations.map(\.rawValue)),
                .id(notification?.value),
            ]
        )
    }

    /// Queues that a failure of what was published to an endpoint alone is stored, where the application wants to know.
    func tell(of failure: EndpointFailure, app: Int64, now: Date) throws {
        try self.queue(
            """
            WITH wanted AS (
                SELECT $4::bigint AS app, told.platform, told.name, told.installation, $1 AS kind,
                    attributes::json ->> $1 AS topic, told.notification, $6 AS failure, $7 AS reason
                FROM endpoint_publications AS told JOIN platform_applications USING (platform, name)
                WHERE told.notification = $5 AND attributes::json ->> $1 IS NOT NULL
            )
            \(Self.insertion)
            """,
            [
                .text(StoredEndpointEvent.Kind.failed.rawValue), .integer(now.millisecondsSince1970),
                .number(StoredEndpointEvent.maximumCount), .integer(app), .id(failure.notification.value),
                .text(failure.kind.rawValue), .text(failure.reason),
            ]
        )
    }

    /// Queues that what is known of a notification's endpoint is stored.
    func insert(_ publication: EndpointPublication, of notification: NotificationID) throws {
        try self.queue(
            "INSERT INTO endpoint_publications (notification, platform, name, installation) VALUES ($1, $2, $3, $4)",
            [
                .id(notification.value), .text(publication.application.platform), .text(publication.application.text),
                .text(publication.installation.rawValue),
            ]
        )
    }

    /// Adds what is `wanted`, or counts it where there is no room; takes the kind, the time and how many may wait.
    ///
    /// How many wait is only counted where their numbers leave it open.
    private static let insertion = """
        , room AS (
            SELECT coalesce((SELECT max(number) FROM endpoint_events), 0)
                    - coalesce((SELECT min(number) FROM endpoint_events), 0) < $3 - 1
                OR (SELECT count(*) FROM (SELECT FROM endpoint_events LIMIT $3) AS waiting) < $3 AS is_there
        ), stored AS (
            INSERT INTO endpoint_events (app, platform, name, installation, kind, topic, time, due_at, notification,
                failure, reason)
            SELECT app, platform, name, installation, kind, topic, $2, $2, notification, failure, reason FROM wanted
            WHERE (SELECT is_there FROM room)
        )
        INSERT INTO endpoint_event_drops (process, count)
        SELECT pg_backend_pid(), count(*) FROM wanted WHERE NOT (SELECT is_there FROM room) HAVING count(*) > 0
        ON CONFLICT (process) DO UPDATE SET count = endpoint_event_drops.count + excluded.count
        """
}
