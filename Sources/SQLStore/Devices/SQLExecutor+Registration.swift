// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// The new devices of an app that a transaction stores.
struct NewDevices {
    /// The number of the next one; `nil` before the first.
    var nextNumber: Int64?

    /// Whether the last registration was one of a new device.
    var isLikely = false
}

/// A registration on SQLite. The only writer executes it, so no row changes between its statements.
extension SQLExecutor {
    /// Stores a registration.
    ///
    /// A known device with the same data costs one read and one update of columns without an index. After a new device,
    /// another one is likely and costs one insertion.
    func store(_ call: RegistrationCall, app: Int64, newDevices: inout NewDevices) throws -> RegistrationOutcome {
        do {
            return try self.outcome(of: call, app: app, newDevices: &newDevices)
        } catch let refusal as DeviceAccessError {
            // Before anything was written.
            return .refused(refusal)
        }
    }

    private func outcome(
        of call: RegistrationCall,
        app: Int64,
        newDevices: inout NewDevices
    ) throws -> RegistrationOutcome {
        let registration = call.registration
        let profile = registration.profile
        let installation = SQLValue.identifier(registration.installation)
        let values: [SQLValue] = [
            .environment(registration.environment), .token(registration.token.bytes),
            .text(profile.platform?.rawValue), .text(profile.appVersion), .text(profile.systemVersion),
            .text(profile.locale), .text(profile.timeZone), .identifier(profile.userID), .text(profile.storedTags),
            .text(profile.storedTopics), .integer(app), installation,
        ]
        // The columns of the profile without its topics.
        let (target, columns) = (values[..<2], values[2..<9])
        let time = SQLValue.time(call.time)
        lazy var new: [SQLValue] =
            [.integer(app), time, .time(call.now)] + target + [installation] + columns
            + [.text(profile.appVersionKey), .text(registration.container)]
        // A new device needs no more rights than a known one.
        let newSecret = SQLValue.bytes(try call.secret(replacing: nil, isNew: true))
        if newDevices.isLikely, let number = newDevices.nextNumber,
            try self.insert(new + [newSecret], topics: profile.topics, number: number, app: app)
        {
            newDevices.nextNumber = number &+ 1
            try self.limitDevices(after: call, number: number, app: app)
            return .stored(StoredRegistration(createdAt: call.now, container: registration.container))
        }
        newDevices.isLikely = false
        let known = try self.map(SQLStatement.knownDevice(values)) { row in
            (
                number: try row.int64("number"), registeredAt: try row.int64("registered_at"),
                stored: try StoredRegistration(stored: row), hasToken: try row.int64("has_token") == 1,
                hasProfile: try row.int64("has_profile") == 1, hasTopics: try row.int64("has_topics") == 1,
                hasUser: try row.int64("has_user") == 1, secret: try row.bytes("installation_secret")
            )
        }.first
        let secret = try call.secret(replacing: known?.secret, isNew: known == nil)
        // The index is unique, so no other device of the container has the token of a device that keeps its own.
        let container = SQLValue.text(known?.stored.container ?? registration.container)
        let holder =
            known?.hasToken == true
            ? nil
            : try self.map(SQLStatement.tokenHolder([.integer(app)] + target + [container])) {
                (number: try $0.int64("number"), registeredAt: try $0.int64("registered_at"))
            }.first
        if let precedence = registration.precedence?.millisecondsSince1970 {
            // A registration of the same millisecond replaces the stored one.
            let latest = max(known?.registeredAt ?? .min, holder?.registeredAt ?? .min)
            if latest > precedence { return .skipped }
        }
        if let holder {
            try self.run(SQLStatement.removeTokens([.integer(app), .integer(holder.number)]))
            try self.run(SQLStatement.removeDevice([.integer(holder.number)]))
        }
        guard let known else {
            let number = try newDevices.nextNumber ?? self.nextDeviceNumber(app: app)
            guard try self.insert(new + [newSecret], topics: profile.topics, number: number, app: app) else {
                throw StoreError.damaged("number of a device")
            }
            newDevices = NewDevices(nextNumber: number &+ 1, isLikely: true)
            try self.limitDevices(after: call, number: number, app: app)
            return .stored(StoredRegistration(createdAt: call.now, container: registration.container))
        }
        let number = SQLValue.integer(known.number)
        if !known.hasToken { try self.run(SQLStatement.setTarget(target + [number])) }
        if known.hasProfile {
            try self.run(SQLStatement.setTimes([time, number]))
        } else {
            try self.run(SQLStatement.setProfile([time] + columns + [.text(profile.appVersionKey), number]))
        }
        if !known.hasTopics {
            try self.run(SQLStatement.removeTopics([number]))
            try self.insertTopics(profile.topics, of: known.number)
        }
        if secret != known.secret { try self.run(SQLStatement.setSecret([.bytes(secret), number])) }
        if !known.hasUser { try self.limitDevices(after: call, number: known.number, app: app) }
        return .stored(known.stored)
    }

    /// Takes the user ID from devices beyond the limit of a user, after another one has registered.
    ///
    /// A device that a copy of the app registers takes nothing from others: it stays without the user.
    private func limitDevices(after call: RegistrationCall, number: Int64, app: Int64) throws {
        guard let user = call.registration.profile.userID else { return }
        let values: [SQLValue] = [.integer(app), .identifier(user), .number(DeviceLimit.devicesOfUser)]
        if call.registration.access.isInstallation {
            try self.run(SQLStatement.leaveUser([.integer(number)] + values))
        } else {
            try self.run(SQLStatement.limitDevices(values))
        }
    }

    /// Inserts a device with the other values of ``SQLStatement/insertDevice``; `false` if its number, ID or token is taken.
    private func insert(_ values: [SQLValue], topics: Set<String>, number: Int64, app: Int64) throws -> Bool {
        guard DeviceRowID.range(ofApp: app).contains(number) else { throw StoreError.damaged("number of a device") }
        guard try self.run(SQLStatement.insertDevice([.integer(number)] + values)).changes == 1 else { return false }
        try self.insertTopics(topics, of: number)
        return true
    }

    private func insertTopics(_ topics: Set<String>, of device: Int64) throws {
        for topic in topics { try self.run(SQLStatement.insertTopic([.integer(device), .text(topic)])) }
    }
}

extension SQLStatement {
    /// Compares a stored device with a registration; `has_profile` is false unless the device is active.
    ///
    /// SQLite numbers the parameters in the order in which they appear first.
    fileprivate static let knownDevice = SQLStatement(
        """
        SELECT number, registered_at, created_at, user_data, container, installation_secret,
            environment = $1 AND token = $2 AS has_token,
            status = 0 AND platform IS NOT DISTINCT FROM $3 AND app_version IS NOT DISTINCT FROM $4
                AND system_version IS NOT DISTINCT FROM $5 AND locale IS NOT DISTINCT FROM $6
                AND time_zone IS NOT DISTINCT FROM $7 AND user_id IS NOT DISTINCT FROM $8
                AND tags IS NOT DISTINCT FROM $9 AS has_profile,
            (SELECT json_group_array(topic) FROM device_topics WHERE device = devices.number) = $10 AS has_topics,
            user_id IS NOT DISTINCT FROM $8 AS has_user
        FROM devices WHERE app = $11 AND installation = $12
        """
    )

    fileprivate static let tokenHolder = SQLStatement(
        """
        SELECT number, registered_at FROM devices
        WHERE app = $1 AND environment = $2 AND token = $3 AND container = $4
        """
    )

    fileprivate static let removeDevice = SQLStatement("DELETE FROM devices WHERE number = $1")

    fileprivate static let removeTokens = SQLStatement(
        """
        DELETE FROM push_to_start_tokens
        WHERE app = $1 AND installation = (SELECT installation FROM devices WHERE number = $2)
        """
    )

    /// No index has the column.
    fileprivate static let setSecret = SQLStatement("UPDATE devices SET installation_secret = $1 WHERE number = $2")

    /// Finds nothing, by index, unless the user has too many devices.
    fileprivate static let limitDevices = SQLStatement(
        """
        UPDATE devices SET user_id = NULL WHERE number IN (
            SELECT number FROM devices WHERE app = $1 AND user_id = $2
            ORDER BY registered_at DESC, number DESC LIMIT 1000 OFFSET $3
        )
        """
    )

    fileprivate static let leaveUser = SQLStatement(
        """
        UPDATE devices SET user_id = NULL WHERE number = $1 AND EXISTS (
            SELECT 1 FROM devices WHERE app = $2 AND user_id = $3 LIMIT 1 OFFSET $4
        )
        """
    )

    /// No index has these columns, so SQLite writes one row.
    fileprivate static let setTimes = SQLStatement(
        "UPDATE devices SET registered_at = $1, seen_at = $1 WHERE number = $2"
    )

    fileprivate static let setTarget = SQLStatement(
        "UPDATE devices SET environment = $1, token = $2 WHERE number = $3"
    )

    /// SQLite writes each index that has one of the columns, even if the values are equal.
    ///
    /// So this sets no token.
    fileprivate static let setProfile = SQLStatement(
        """
        UPDATE devices SET status = 0, status_since = NULL, status_reason = NULL, registered_at = $1, seen_at = $1,
            platform = $2, app_version = $3, system_version = $4, locale = $5, time_zone = $6, user_id = $7,
            tags = $8, app_version_key = $9
        WHERE number = $10
        """
    )

    fileprivate static let insertDevice = SQLStatement(
        """
        INSERT INTO devices (number, app, status, registered_at, seen_at, created_at, environment, token, installation,
            platform, app_version, system_version, locale, time_zone, user_id, tags, app_version_key, container,
            installation_secret)
        VALUES ($1, $2, 0, $3, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
        ON CONFLICT DO NOTHING
        """
    )

    fileprivate static let removeTopics = SQLStatement("DELETE FROM device_topics WHERE device = $1")

    fileprivate static let insertTopic = SQLStatement("INSERT INTO device_topics (device, topic) VALUES ($1, $2)")
}
