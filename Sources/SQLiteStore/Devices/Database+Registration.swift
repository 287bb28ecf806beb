// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import GRDB
import PushModel
import PushStore

extension Database {
    /// Adds an installation, or takes its latest word; see `DeviceStore.register`.
    func register(_ registration: DeviceRegistration, app: Int64, now: Date) throws -> Device {
        let time = Date(millisecondsSince1970: now.millisecondsSince1970)
        let known = try self.row(
            "SELECT number, created_at FROM devices WHERE app = ? AND installation = ?",
            [app, registration.installation.rawValue]
        )
        let number: Int64 = try known?["number"] ?? self.nextDeviceNumber(app: app)
        let createdAt = known?.date("created_at") ?? time
        // The token is taken from any other installation first, since it may be held only once.
        try self.run(
            "DELETE FROM devices WHERE app = ? AND environment = ? AND token = ? AND number <> ?",
            [app, registration.environment.stored, registration.token.stored, number]
        )
        try self.write(registration, number: number, app: app, isKnown: known != nil, now: time)
        try self.write(topics: registration.profile.topics, ofDevice: number, isKnown: known != nil)
        return Device(
            app: registration.app,
            installation: registration.installation,
            token: registration.token,
            environment: registration.environment,
            profile: registration.profile,
            createdAt: createdAt,
            registeredAt: time,
            seenAt: time
        )
    }

    private func nextDeviceNumber(app: Int64) throws -> Int64 {
        let range = DeviceNumber.range(ofApp: app)
        let last = try self.row(
            "SELECT number FROM devices WHERE number BETWEEN ? AND ? ORDER BY number DESC LIMIT 1",
            [range.lowerBound, range.upperBound]
        )
        return (last?["number"] ?? range.lowerBound) + 1
    }

    private func write(
        _ registration: DeviceRegistration,
        number: Int64,
        app: Int64,
        isKnown: Bool,
        now: Date
    ) throws {
        let profile = registration.profile
        let time = now.millisecondsSince1970
        let told: [(any DatabaseValueConvertible)?] = [
            registration.environment.stored, registration.token.stored, time, time, profile.platform?.rawValue,
            profile.appVersion, AppVersionKey.key(of: profile.appVersion), profile.locale, profile.timeZone,
            profile.userID?.rawValue, try profile.storedTags,
        ]
        if isKnown {
            try self.run(
                """
                UPDATE devices SET status = 0, status_since = NULL, status_reason = NULL, environment = ?, token = ?,
                    registered_at = ?, seen_at = ?, platform = ?, app_version = ?, app_version_key = ?, locale = ?,
                    time_zone = ?, user_id = ?, tags = ? WHERE number = ?
                """,
                StatementArguments(told + [number])
            )
        } else {
            try self.run(
                """
                INSERT INTO devices (status, environment, token, registered_at, seen_at, platform, app_version,
                    app_version_key, locale, time_zone, user_id, tags, number, app, installation, created_at)
                VALUES (0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                StatementArguments(told + [number, app, registration.installation.rawValue, time])
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

    /// The topics that a device is subscribed to.
    func topics(ofDevice number: Int64) throws -> Set<String> {
        Set(try self.rows("SELECT topic FROM device_topics WHERE device = ?", [number]).map { $0["topic"] as String })
    }
}
