// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension DeviceStore where Self: SQLBacked {
    @discardableResult
    public func register(_ registration: DeviceRegistration, now: Date) async throws -> Device {
        let now = now.keptToMilliseconds
        var registration = registration
        registration.registeredAt = nil
        return try await self.sql.write(retriesConflicts: true) { [registration] transaction in
            let app = try transaction.lockedNumber(of: registration.app)
            let known = try transaction.register([registration], app: app, now: now).known
            try transaction.commit()
            let row = try known.rows.first { try $0.string("installation") == registration.installation.rawValue }
            var device = Device(registration, createdAt: try row?.clampedDate("created_at") ?? now, now: now)
            device.userData = try row?.text("user_data")
            return device
        }
    }

    @discardableResult
    public func register(_ registrations: [DeviceRegistration], now: Date) async throws -> Int {
        let rounds = RegistrationRounds(registrations).rounds
        return try await self.sql.write(in: .bulk, retriesConflicts: true) { transaction in
            var apps: [AppID: Int64] = [:]
            var count = 0
            for round in rounds {
                guard let id = round.first?.app else { continue }
                let app = try apps[id] ?? transaction.lockedNumber(of: id)
                apps[id] = app
                count += try transaction.register(round, app: app, now: now).count
            }
            return count
        }
    }
}

extension SQLExecutor {
    /// Stores the registrations of a round of ``RegistrationRounds``, except those that are older than the stored devices.
    ///
    /// - Returns: their number, and a result that has the rows of all devices that were known, maybe with others.
    fileprivate func register(
        _ round: ArraySlice<DeviceRegistration>,
        app: Int64,
        now: Date
    ) throws -> (count: Int, known: any SQLResult) {
        let told = try SQLRows(
            "told",
            Array(round),
            [
                "installation": { .identifier($0.installation) },
                "environment": { .environment($0.environment) },
                "token": { .bytes($0.token.bytes) },
            ]
        )
        // On PostgreSQL, nothing is read if no registration can be older. That saves a round trip.
        let found: (any SQLResult)?
        if self.dialect == .sqlite || round.contains(where: { $0.registeredAt != nil }) {
            found = try self.devices(thatHave: told, app: app)
        } else {
            try self.removeFormerHolders(of: told, ids: round.map(\.installation.rawValue), app: app)
            found = nil
        }
        var plan = try RegistrationPlan(round, stored: found?.rows ?? [], now: now)
        try self.run("DELETE FROM devices WHERE app = \(app) AND number \(each: plan.displaced)")
        if self.dialect == .sqlite { try plan.number { try self.firstDeviceNumber(app: app, count: $0) } }
        let stored = try self.store(plan.current, app: app, now: now)
        if self.dialect == .sqlite { try self.storeTopics(of: plan.current) }
        return (plan.current.count, self.dialect == .sqlite ? found ?? stored : stored)
    }

    private func devices(thatHave told: SQLRows, app: Int64) throws -> any SQLResult {
        try self.run(
            """
            SELECT devices.number, devices.installation, devices.environment, devices.token, devices.registered_at,
                devices.created_at, devices.user_data, \(
                    sqlite: "(SELECT json_group_array(topic) FROM device_topics WHERE device = devices.number)",
                    postgres: "NULL"
                ) AS topics
            FROM devices\(", ", told)
            WHERE devices.app = \(app) AND (
                devices.installation = \(told["installation"])
                OR (devices.environment = \(told["environment"]) AND devices.token = \(told["token"]))
            )
            ORDER BY devices.number\(lock: " FOR UPDATE OF devices")
            """
        )
    }

    /// Removes each device whose token another one gets, unless it has got another token before that in the same round.
    private func removeFormerHolders(of told: SQLRows, ids: [String], app: Int64) throws {
        try self.run(
            """
            DELETE FROM devices\(" USING ", told)
            WHERE devices.app = \(app) AND devices.environment = \(told["environment"])
                AND devices.token = \(told["token"]) AND devices.installation <> \(told["installation"])
                AND NOT EXISTS (
                    SELECT 1 FROM unnest(\(SQLValue.texts(ids))) WITH ORDINALITY AS earlier (installation, position)
                    WHERE earlier.installation = devices.installation AND earlier.position < \(told["position"])
                )
            """
        )
    }

    /// Inserts or updates devices, in their order.
    ///
    /// SQLite returns no rows, because that takes it half as long again as the statement.
    @discardableResult
    private func store(_ devices: [RegisteredDevice], app: Int64, now: Date) throws -> any SQLResult {
        let isPostgres = self.dialect == .postgres
        let new = try SQLRows(
            "new",
            devices,
            [
                "number": { .integer($0.number) },
                "installation": { .identifier($0.registration.installation) },
                "environment": { .environment($0.registration.environment) },
                "token": { .bytes($0.registration.token.bytes) },
                "time": { .time($0.time) },
                "platform": { .text($0.profile.platform?.rawValue) },
                "app_version": { .text($0.profile.appVersion) },
                "app_version_key": { .text($0.profile.storedAppVersionKey) },
                "locale": { .text($0.profile.locale) },
                "time_zone": { .text($0.profile.timeZone) },
                "user_id": { .identifier($0.profile.userID) },
                "tags": { .text(try $0.profile.storedTags) },
                "topics": { .text(isPostgres ? Self.arrayLiteral($0.profile.topics) : nil) },
            ]
        )
        let row = new.insert([
            "app": "\(app)", "status": "0", "created_at": "\(now)", "registered_at": new["time"],
            "seen_at": new["time"], "time": nil, "number": isPostgres ? nil : new["number"],
            "tags": "\(new["tags"])\(postgres: "::jsonb")",
            "topics": isPostgres ? "\(new["topics"])::text[]" : nil,
        ])
        return try self.run(
            """
            INSERT INTO devices \(row)
            ON CONFLICT (app, installation) DO UPDATE SET status = 0, status_since = NULL, status_reason = NULL,
                environment = excluded.environment, token = excluded.token, registered_at = excluded.registered_at,
                seen_at = excluded.seen_at, platform = excluded.platform, app_version = excluded.app_version,
                app_version_key = excluded.app_version_key, locale = excluded.locale,
                time_zone = excluded.time_zone, user_id = excluded.user_id, tags = excluded.tags\(
                    postgres: ", topics = excluded.topics RETURNING installation, created_at, user_data"
                )
            """
        )
    }

    /// The text of an array for PostgreSQL, because an array of arrays needs one length for all.
    private static func arrayLiteral(_ texts: Set<String>) -> String {
        // By bytes: a quotation mark with a combining mark is another character for Swift, but not for PostgreSQL.
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        let elements = texts.sorted().map { text in
            let escaped = text.utf8.flatMap { $0 == quote || $0 == backslash ? [backslash, $0] : [$0] }
            return "\"\(String(decoding: escaped, as: UTF8.self))\""
        }
        return "{\(elements.joined(separator: ","))}"
    }

    /// Replaces the topics that have changed. SQLite has them in a table, to find devices by topic.
    private func storeTopics(of devices: [RegisteredDevice]) throws {
        let changed = try devices.filter { try DeviceProfile.topics(stored: $0.topics ?? "[]") != $0.profile.topics }
        let known = changed.filter { $0.topics != nil }
        try self.run("DELETE FROM device_topics WHERE device \(each: known.compactMap(\.number))")
        let topics = changed.flatMap { device in device.profile.topics.map { (device.number, $0) } }
        let new = try SQLRows("new", topics, ["device": { .integer($0.0) }, "topic": { .text($0.1) }])
        try self.run("INSERT INTO device_topics \(new.insert())")
    }
}
