// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel
package import PushStore

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

    /// Reads a page of devices; SQLite has the order of all apps in one key, PostgreSQL has it for each app.
    package static func devicePage(
        of app: AppID,
        where condition: SQL = "TRUE",
        after cursor: DeviceCursor?,
        limit: Int,
        in dialect: SQLDialect
    ) -> SQL {
        let place = cursor?.rawValue ?? 0
        let first: SQL = "\(SQL.number(of: app)) * \(DeviceNumber.count)"
        let places: SQL =
            dialect == .postgres
            ? "app = \(SQL.number(of: app)) AND number > \(place)"
            : "number > max(\(first), \(place)) AND number < (\(first)) + \(DeviceNumber.count)"
        return "\(SQL.devices) WHERE \(places) AND \(condition) ORDER BY number LIMIT \(limit)"
    }
}

extension SQLExecutor {
    /// The first of the numbers of new devices of an app on SQLite.
    ///
    /// - Throws: ``StoreError`` `.corrupt` if the last number is not one of the app's, or the app has too few left.
    func firstDeviceNumber(app: Int64, count: Int) throws -> Int64 {
        let range = DeviceNumber.range(ofApp: app)
        let row = try self.first(
            """
            SELECT max(numbered_through, \(range.lowerBound), coalesce(
                (
                    SELECT number FROM devices WHERE number BETWEEN \(range.lowerBound) AND \(range.upperBound)
                    ORDER BY number DESC LIMIT 1
                ), 0
            )) AS number FROM apps WHERE number = \(app)
            """
        )
        let last = try row?.int64("number") ?? range.lowerBound
        guard range.contains(last), range.upperBound - last >= Int64(count) else {
            throw StoreError.damaged("number of a device")
        }
        return last + 1
    }

    /// The number of an app, as an expression; PostgreSQL looks it up in each statement, which saves a round trip.
    func numberExpression(of app: AppID) throws -> SQL {
        guard self.dialect == .sqlite else { return SQL.number(of: app) }
        let number = try self.number(of: app)
        return "\(number)"
    }
}

/// The numbers of an app's devices: the app's own number, then 40 bits that count its registrations.
package enum DeviceNumber {
    private static let bits: Int64 = 40

    /// The count of the numbers of one app.
    static let count: Int64 = 1 << Self.bits

    /// Every number that a device of an app may have.
    package static func range(ofApp app: Int64) -> ClosedRange<Int64> {
        (app << Self.bits)...(app << Self.bits | (1 << Self.bits - 1))
    }
}
