// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

// The columns of a device: those that a statement reads, how they are decoded, and those that a registration writes.

extension SQL {
    /// Reads devices, with their topics as JSON; a condition follows.
    static let devices: SQL = """
        SELECT number, installation, environment, token, created_at, registered_at, seen_at, status, status_reason,
            status_since, platform, app_version, system_version, locale, time_zone, user_id, user_data, container,
            CAST(tags AS text) AS tags,
            \(
                sqlite: "(SELECT json_group_array(topic) FROM device_topics WHERE device = devices.number)",
                postgres: "CAST(array_to_json(topics) AS text)"
            ) AS topics
        FROM devices
        """
}

extension Device {
    init(stored row: StoredRow, app: AppID) throws {
        let target = try Target(stored: row)
        self.init(
            app: app,
            installation: try row.identifier("installation"),
            token: target.token,
            environment: target.environment,
            profile: DeviceProfile(
                platform: try row.text("platform").map { DevicePlatform(rawValue: $0) },
                appVersion: try row.text("app_version"),
                systemVersion: try row.text("system_version"),
                locale: try row.text("locale"),
                timeZone: try row.text("time_zone"),
                userID: try row.text("user_id").flatMap { UserID(rawValue: $0) },
                tags: try row.text("tags").map(DeviceProfile.tags(stored:)) ?? [:],
                topics: try DeviceProfile.topics(stored: row.string("topics"))
            ),
            createdAt: try row.date("created_at"),
            registeredAt: try row.date("registered_at"),
            seenAt: try row.date("seen_at"),
            status: try DeviceStatus(stored: row),
            userData: try row.text("user_data")
        )
        self.container = try row.string("container")
    }
}

extension DeviceProfile {
    /// The value of the column `app_version_key`.
    var appVersionKey: String? { self.appVersion.flatMap { AppVersion($0) }?.sortKey }
}

extension SQLRows {
    /// The columns that a registration of a known device on PostgreSQL changes follow `created_at`.
    convenience init(registered calls: [RegistrationCall]) throws {
        try self.init(
            "new",
            calls,
            [
                "installation": { .identifier($0.registration.installation) },
                "container": { .text($0.registration.container) },
                "created_at": { .time($0.now) },
                "registered_at": { .time($0.time) },
                "environment": { .environment($0.registration.environment) },
                "token": { .token($0.registration.token.bytes) },
                "platform": { .text($0.registration.profile.platform?.rawValue) },
                "app_version": { .text($0.registration.profile.appVersion) },
                "app_version_key": { .text($0.registration.profile.appVersionKey) },
                "system_version": { .text($0.registration.profile.systemVersion) },
                "locale": { .text($0.registration.profile.locale) },
                "time_zone": { .text($0.registration.profile.timeZone) },
                "user_id": { .identifier($0.registration.profile.userID) },
                "tags": { .text($0.registration.profile.storedTags) },
                "topics": { .text(SQLRows.arrayLiteral($0.registration.profile.topics)) },
                "installation_secret": { .bytes($0.secret) },
            ]
        )
    }

    /// Assignments of the values that conflict, for some of the columns.
    func excluded(_ columns: Range<Int>) -> SQL {
        let assignments = columns.map { column -> SQL in
            let name = SQL(stringLiteral: self.names[column])
            return "\(name) = excluded.\(name)"
        }
        return SQL(assignments, separator: ", ")
    }

    /// The text of an array for PostgreSQL, because an array of arrays needs one length for all.
    private static func arrayLiteral(_ texts: Set<String>) -> String {
        if texts.isEmpty { return "{}" }
        // By bytes: a quotation mark with a combining mark is another character for Swift, but not for PostgreSQL.
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        let elements = texts.sorted().map { text in
            let escaped = text.utf8.flatMap { $0 == quote || $0 == backslash ? [backslash, $0] : [$0] }
            return "\"\(String(decoding: escaped, as: UTF8.self))\""
        }
        return "{\(elements.joined(separator: ","))}"
    }
}
