// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
public import Foundation
public import PushModel
public import PushStore

extension EndpointEventStore where Self: SQLBacked {
    public func claimEndpointEvents(
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> EndpointEventClaim {
        let limit = PageLimit.clamp(limit)
        let isDue = try await self.sql.finds(
            """
            SELECT 1 FROM endpoint_event_drops
            UNION ALL SELECT 1 FROM endpoint_events WHERE due_at <= \(now) LIMIT 1
            """
        )
        guard isDue else { return EndpointEventClaim() }
        let until = now.lease(of: leaseDuration)
        let aside = now.lease(of: StoredEndpointEvent.keptAside)
        return try await self.sql.write { transaction in
            let drops = try transaction.run(
                """
                DELETE FROM endpoint_event_drops \(
                    postgres: "WHERE process IN (SELECT process FROM endpoint_event_drops FOR UPDATE SKIP LOCKED)"
                ) RETURNING count
                """
            )
            let found = try transaction.rows(
                """
                SELECT *, (SELECT id FROM apps WHERE apps.number = endpoint_events.app) AS app_id
                FROM endpoint_events WHERE due_at <= \(now)
                ORDER BY due_at, number LIMIT \(limit)\(lock: " FOR UPDATE SKIP LOCKED")
                """
            )
            var claim = EndpointEventClaim()
            for row in try drops.rows { claim.dropped += try row.number("count") }
            for row in found {
                let number = try row.int64("number")
                if try row.text("worker") == StoredEndpointEvent.asideMark {
                    try transaction.run("DELETE FROM endpoint_events WHERE number = \(number)")
                } else if let event = try row.readable(in: "endpoint_events", { try StoredEndpointEvent(stored: $0) }) {
                    claim.events.append(event)
                    try transaction.lease(endpointEvent: number, to: worker.rawValue, until: until)
                } else {
                    claim.damaged.append(number)
                    try transaction.lease(endpointEvent: number, to: StoredEndpointEvent.asideMark, until: aside)
                    let app = try row.integer("app")
                    try transaction.list(.endpointEvent, String(number), app: app, as: .unreadable, now: now)
                }
            }
            return claim
        }
    }

    public func removeEndpointEvent(_ number: Int64, worker: WorkerID) async throws {
        try await self.sql.run("DELETE FROM endpoint_events WHERE number = \(number) AND worker = \(worker)")
    }
}

extension SQLExecutor {
    fileprivate func lease(endpointEvent number: Int64, to worker: String, until time: Date) throws {
        try self.run("UPDATE endpoint_events SET worker = \(worker), due_at = \(time) WHERE number = \(number)")
    }

    /// Stores an event of an endpoint for the platform applications that have it and want the event.
    ///
    /// An application that receives the failure of `notification` is omitted.
    package func tell(
        _ kind: StoredEndpointEvent.Kind,
        _ installation: DeviceID,
        app: Int64,
        in environment: APNsEnvironment,
        _ container: String,
        sending notification: NotificationID? = nil,
        now: Date
    ) throws {
        let topic = kind.topic
        try self.add(
            """
            SELECT app, platform, name, \(installation) AS installation, \(kind.rawValue) AS kind, \(topic) AS topic,
                \(nil as APNsID?) AS notification, \(nil as String?) AS failure, \(nil as String?) AS reason
            FROM platform_applications
            WHERE app = \(app) AND environment = \(environment) AND container = \(container)
                AND \(topic) IS NOT NULL AND NOT EXISTS (
                SELECT 1 FROM endpoint_publications AS told WHERE told.notification = \(notification?.value)
                    AND told.platform = platform_applications.platform AND told.name = platform_applications.name
            )
            """,
            now: now
        )
    }

    func tell(
        _ kind: StoredEndpointEvent.Kind,
        _ installation: DeviceID,
        app: Int64,
        in container: EndpointContainer,
        now: Date
    ) throws {
        try self.tell(kind, installation, app: app, in: container.environment, container.name, now: now)
    }

    /// Stores that a notification did not reach its only endpoint, if its application wants to know.
    package func tell(of failure: EndpointFailure, app: Int64, now: Date) throws {
        let kind = StoredEndpointEvent.Kind.failed
        let topic = kind.topic
        try self.add(
            """
            SELECT \(app) AS app, told.platform, told.name, told.installation, \(kind.rawValue) AS kind,
                \(topic) AS topic, told.notification, \(failure.kind.rawValue) AS failure, \(failure.reason) AS reason
            FROM endpoint_publications AS told JOIN platform_applications USING (platform, name)
            WHERE told.notification = \(failure.notification.value) AND \(topic) IS NOT NULL
            """,
            now: now
        )
    }

    package func insert(_ publication: EndpointPublication, of notification: NotificationID) throws {
        try self.run(
            """
            INSERT INTO endpoint_publications (notification, platform, name, installation)
            VALUES (\(notification.value), \(publication.application.platform), \(publication.application.text),
                \(publication.installation))
            """
        )
    }

    /// Adds events, or counts them if as many wait as may.
    ///
    /// `wanted` reads the columns of the events except for the times. All of them are added or none, because few
    /// applications want an event. The waiting events are counted only if their numbers leave open how many there are.
    private func add(_ wanted: SQL, now: Date) throws {
        let limit = StoredEndpointEvent.maximumCount
        let hasRoom: SQL = """
            (coalesce((SELECT max(number) FROM endpoint_events), 0)
                - coalesce((SELECT min(number) FROM endpoint_events), 0) < \(limit - 1)
            OR (SELECT count(*) FROM (SELECT 1 FROM endpoint_events LIMIT \(limit)) AS waiting) < \(limit))
            """
        let insertion: SQL = """
            INSERT INTO endpoint_events (app, platform, name, installation, kind, topic, time, due_at, notification,
                failure, reason)
            SELECT app, platform, name, installation, kind, topic, \(now), \(now), notification, failure, reason
            FROM wanted
            """
        switch self.dialect {
        case .sqlite:
            // The drops first, because the inserted events use capacity.
            try self.run(
                """
                WITH wanted AS (\(wanted))
                INSERT INTO endpoint_event_drops (process, count)
                SELECT 1, count(*) FROM wanted WHERE NOT \(hasRoom) HAVING count(*) > 0
                ON CONFLICT (process) DO UPDATE SET count = endpoint_event_drops.count + excluded.count
                """
            )
            try self.run("WITH wanted AS (\(wanted)) \(insertion) WHERE \(hasRoom)")
        case .postgres:
            // One statement, because other transactions add and remove events between two.
            try self.run(
                """
                WITH wanted AS (\(wanted)), room AS (SELECT \(hasRoom) AS is_there), stored AS (
                    \(insertion) WHERE (SELECT is_there FROM room)
                )
                INSERT INTO endpoint_event_drops (process, count)
                SELECT pg_backend_pid(), count(*) FROM wanted
                WHERE NOT (SELECT is_there FROM room) HAVING count(*) > 0
                ON CONFLICT (process) DO UPDATE SET count = endpoint_event_drops.count + excluded.count
                """
            )
        }
    }
}

extension StoredEndpointEvent.Kind {
    /// The topic that an application names for it; NULL if it does not want it.
    fileprivate var topic: SQL { "(attributes\(postgres: "::json") ->> \(self.rawValue))" }
}
