// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

extension SQL {
    /// Reads devices, with their topics as JSON; a condition follows.
    static let devices: SQL = """
        SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
            status_since, platform, app_version, locale, time_zone, user_id, user_data, CAST(tags AS text) AS tags,
            \(
                sqlite: "(SELECT json_group_array(topic) FROM device_topics WHERE device = devices.number)",
                postgres: "CAST(array_to_json(topics) AS text)"
            ) AS topics
        FROM devices
        """

    /// Lets a transaction of PostgreSQL read devices by the index of their order only.
    ///
    /// A server with few statistics of the table expects few devices, and would read and sort all that are left for each
    /// page.
    package static let devicesInOrder: SQL = """
        SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
            set_config('max_parallel_workers_per_gather', '0', true)
        """

    /// The condition of the devices of an app after a place in their order.
    ///
    /// SQLite has the order of all apps in one key, PostgreSQL has it for each app.
    static func devicePlaces(of app: Int64, after cursor: DeviceCursor?, in dialect: SQLDialect) -> SQL {
        let place = cursor?.rawValue ?? 0
        switch dialect {
        case .sqlite:
            let range = DeviceNumber.range(ofApp: app)
            return "number > \(max(range.lowerBound, place)) AND number <= \(range.upperBound)"
        case .postgres:
            return "app = \(app) AND number > \(place)"
        }
    }
}

extension SQLExecutor {
    /// The number of a new device.
    ///
    /// - Throws: ``StoreError`` `.corrupt` if the last number is not one of the app's, or the last that it may have.
    func nextDeviceNumber(app: Int64) throws -> SQL {
        switch self.dialect {
        case .sqlite:
            let number = try self.lastDeviceNumber(app: app) + 1
            return "\(number)"
        case .postgres:
            return "nextval('device_numbers')"
        }
    }

    /// The last number that a device of an app was given in SQLite.
    package func lastDeviceNumber(app: Int64) throws -> Int64 {
        let range = DeviceNumber.range(ofApp: app)
        let last = try self.first(
            """
            SELECT max(numbered_through, \(range.lowerBound), coalesce(
                (
                    SELECT number FROM devices WHERE number BETWEEN \(range.lowerBound) AND \(range.upperBound)
                    ORDER BY number DESC LIMIT 1
                ), 0
            )) AS number FROM apps WHERE number = \(app)
            """
        )
        let number = try last?.int64("number") ?? range.lowerBound
        guard range.contains(number), number < range.upperBound else { throw StoreError.damaged("number of a device") }
        return number
    }
}

extension Device {
    /// Reads the columns of `SQL.devices`.
    init(stored row: SQLRow, app: AppID) throws {
        try self.init(stored: row, app: app, topics: DeviceProfile.topics(stored: row.string("topics")))
    }
}
