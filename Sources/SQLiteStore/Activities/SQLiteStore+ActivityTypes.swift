// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: ActivityTypeStore {
    /// Registers a type; see `ActivityTypeStore`.
    @discardableResult
    public func keep(_ type: ActivityType) async throws -> Bool {
        try await self.write { database in
            let app = try database.requiredNumber(of: type.app)
            let known = try database.row(
                "SELECT 1 FROM activity_types WHERE app = ? AND name = ?",
                [app, type.name.rawValue]
            )
            try database.run(
                """
                INSERT INTO activity_types (app, name, created_at, changed_at, content_state, attributes)
                VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (app, name) DO UPDATE SET changed_at = excluded.changed_at,
                    content_state = excluded.content_state, attributes = excluded.attributes
                """,
                [
                    app, type.name.rawValue, type.createdAt.millisecondsSince1970, type.changedAt.millisecondsSince1970,
                    type.storedContentState, type.storedAttributes,
                ]
            )
            return known == nil
        }
    }

    /// A type; see `ActivityTypeStore`.
    public func activityType(_ name: AttributesType, of app: AppID) async throws -> ActivityType? {
        try await self.read { database in
            guard let number = try database.number(of: app) else { return nil }
            return try database.activities.activityTypes([name], app: number).first
        }
    }

    /// The types of an app; see `ActivityTypeStore`.
    public func activityTypes(of app: AppID) async throws -> [ActivityType] {
        try await self.read { database in
            guard let number = try database.number(of: app) else { return [] }
            return try database.rows(
                "SELECT activity_types.*, ? AS app_id FROM activity_types WHERE app = ? ORDER BY name",
                [app.rawValue, number]
            ).map(ActivityType.init(stored:))
        }
    }

    /// Forgets a type; see `ActivityTypeStore`.
    @discardableResult
    public func deleteActivityType(_ name: AttributesType, of app: AppID) async throws -> Bool {
        try await self.write { database in
            guard let number = try database.number(of: app) else { return false }
            return try database.run(
                "DELETE FROM activity_types WHERE app = ? AND name = ?",
                [number, name.rawValue]
            ) > 0
        }
    }
}

extension ActivitySQL {
    func activityTypes(_ names: [AttributesType], app: Int64) throws -> [ActivityType] {
        try names.compactMap { name in
            try self.database.row(
                """
                SELECT activity_types.*, apps.id AS app_id
                FROM activity_types CROSS JOIN apps ON apps.number = activity_types.app
                WHERE app = ? AND activity_types.name = ?
                """,
                [app, name.rawValue]
            ).map(ActivityType.init(stored:))
        }
    }
}
