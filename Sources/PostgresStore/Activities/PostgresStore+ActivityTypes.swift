// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
public import PushModel
public import PushStore

extension PostgresStore: ActivityTypeStore {
    /// Registers a type; see `ActivityTypeStore`.
    @discardableResult
    public func keep(_ type: ActivityType) async throws -> Bool {
        try await self.write { connection in
            let app = try connection.lockedNumber(of: type.app)
            // A row that was there has been written by another transaction: its `xmax` is set.
            let row = try connection.row(
                """
                INSERT INTO activity_types (app, name, created_at, changed_at, content_state, attributes)
                VALUES ($1, $2, $3, $4, $5, $6)
                ON CONFLICT (app, name) DO UPDATE SET changed_at = excluded.changed_at,
                    content_state = excluded.content_state, attributes = excluded.attributes
                RETURNING CASE WHEN xmax = 0 THEN 1::bigint ELSE 0::bigint END AS is_new
                """,
                [
                    .integer(app), .text(type.name.rawValue), .integer(type.createdAt.millisecondsSince1970),
                    .integer(type.changedAt.millisecondsSince1970), .bytes(type.storedContentState),
                    .bytes(type.storedAttributes),
                ]
            )
            return try row?.number("is_new") == 1
        }
    }

    /// A type; see `ActivityTypeStore`.
    public func activityType(_ name: AttributesType, of app: AppID) async throws -> ActivityType? {
        try await self.read { connection in
            guard let number = try connection.number(of: app) else { return nil }
            return try connection.activityTypes([name], app: number).first
        }
    }

    /// The types of an app; see `ActivityTypeStore`.
    public func activityTypes(of app: AppID) async throws -> [ActivityType] {
        try await self.read { connection in
            guard let number = try connection.number(of: app) else { return [] }
            return try connection.rows(
                "SELECT activity_types.*, $2::text AS app_id FROM activity_types WHERE app = $1 ORDER BY name",
                [.integer(number), .text(app.rawValue)]
            ).map(ActivityType.init(stored:))
        }
    }

    /// Forgets a type; see `ActivityTypeStore`.
    @discardableResult
    public func deleteActivityType(_ name: AttributesType, of app: AppID) async throws -> Bool {
        try await self.write { connection in
            guard let number = try connection.number(of: app) else { return false }
            let deleted = try connection.queue(
                "DELETE FROM activity_types WHERE app = $1 AND name = $2",
                [.integer(number), .text(name.rawValue)]
            )
            try connection.commit()
            return deleted.changes > 0
        }
    }
}

extension PostgresConnection {
    /// The types of those names that an app has registered.
    func activityTypes(_ names: [AttributesType], app: Int64) throws -> [ActivityType] {
        try self.rows(
            """
            SELECT activity_types.*, apps.id AS app_id FROM activity_types JOIN apps ON apps.number = activity_types.app
            WHERE app = $1 AND activity_types.name = ANY($2::text[])
            """,
            [.integer(app), .texts(names.map(\.rawValue))]
        ).map(ActivityType.init(stored:))
    }
}

extension ActivityConnection {
    func activityTypes(_ names: [AttributesType], app: Int64) throws -> [ActivityType] {
        try self.connection.activityTypes(names, app: app)
    }
}
