// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLStore
import SQLite

extension Database {
    /// Whether an installation, or another one that has its token, registered after a time.
    func hasRegistered(_ registration: DeviceRegistration, app: Int64, after time: Date) throws -> Bool {
        try self.row(
            """
            SELECT 1 FROM devices WHERE app = ?1 AND registered_at > ?2
                AND (installation = ?3 OR (environment = ?4 AND token = ?5)) LIMIT 1
            """,
            [
                app, time.millisecondsSince1970, registration.installation.rawValue, registration.environment.stored,
                registration.token.bytes,
            ]
        ) != nil
    }

    /// Adds an installation, or takes its latest word; see `DeviceStore.register`.
    ///
    /// `time` is the time of this registration. `now` is the first registration of a new device.
    /// - Returns: the device as it is stored now.
    /// - Throws: what SQLite says.
    func register(_ registration: DeviceRegistration, app: Int64, at time: Date, now: Date) throws -> Device {
        let time = time.keptToMilliseconds
        let known = try self.row(
            "SELECT number, created_at, user_data FROM devices WHERE app = ? AND installation = ?",
            [app, registration.installation.rawValue]
        )
        let number = try known?.int64("number") ?? self.lastDeviceNumber(app: app) + 1
        let createdAt = try known?.clampedDate("created_at") ?? now.keptToMilliseconds
        // The token is taken from any other installation first, since it may be held only once.
        try self.run(
            "DELETE FROM devices WHERE app = ? AND environment = ? AND token = ? AND number <> ?",
            [app, registration.environment.stored, registration.token.bytes, number]
        )
        try self.write(registration, number: number, app: app, createdAt: known == nil ? createdAt : nil, at: time)
        try self.write(topics: registration.profile.topics, ofDevice: number, isKnown: known != nil)
        var device = Device(registration, createdAt: createdAt, now: time)
        device.userData = try known?.text("user_data")
        return device
    }

    /// Writes a device's row; with a time of its first registration it is a new one.
    private func write(
        _ registration: DeviceRegistration,
        number: Int64,
        app: Int64,
        createdAt: Date?,
        at time: Date
    ) throws {
        let profile = registration.profile
        let time = time.millisecondsSince1970
        let told: StatementArguments = [
            registration.environment.stored, registration.token.bytes, time, time, profile.platform?.rawValue,
            profile.appVersion, profile.storedAppVersionKey, profile.locale, profile.timeZone,
            profile.userID?.rawValue, try profile.storedTags,
        ]
        if let createdAt {
            let new: StatementArguments = [
                number, app, registration.installation.rawValue, createdAt.millisecondsSince1970,
            ]
            try self.run(
                """
                INSERT INTO devices (status, environment, token, registered_at, seen_at, platform, app_version,
                    app_version_key, locale, time_zone, user_id, tags, number, app, installation, created_at)
                VALUES (0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                told + new
            )
        } else {
            try self.run(
                """
                UPDATE devices SET status = 0, status_since = NULL, status_reason = NULL, environment = ?, token = ?,
                    registered_at = ?, seen_at = ?, platform = ?, app_version = ?, app_version_key = ?, locale = ?,
                    time_zone = ?, user_id = ?, tags = ? WHERE number = ?
                """,
                told + [number]
            )
        }
    }

    private func write(topics: Set<String>, ofDevice number: Int64, isKnown: Bool) throws {
        if isKnown {
            guard try self.topics(ofDevice: number) != topics else { return }
            try self.run("DELETE FROM device_topics WHERE device = ?", [number])
        }
        for topic in topics {
            try self.run("INSERT INTO device_topics (device, topic) VALUES (?, ?)", [number, topic])
        }
    }

    func device(_ installation: InstallationID, of app: AppID) throws -> Device? {
        guard
            let number = try self.number(of: app),
            let row = try self.row(
                "SELECT * FROM devices WHERE app = ? AND installation = ?",
                [number, installation.rawValue]
            )
        else { return nil }
        return try Device(stored: row, app: app, topics: self.topics(ofDevice: row.int64("number")))
    }

    func topics(ofDevice number: Int64) throws -> Set<String> {
        Set(try self.rows("SELECT topic FROM device_topics WHERE device = ?", [number]).map { try $0.string("topic") })
    }
}
