// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension PostgresConnection {
    /// Queues the registrations of one round of ``RegistrationRounds``, all of one app.
    ///
    /// `times` has the time of each registration. `now` is the first registration of new devices.
    /// - Returns: the reply that has the `created_at` and `user_data` of each device.
    /// - Throws: ``PostgresFailure``.
    @discardableResult
    func register(
        _ round: some Collection<DeviceRegistration>,
        at times: [Date],
        app: Int64,
        now: Date
    ) throws -> PostgresReply {
        let installations = PostgresValue.texts(round.map(\.installation.rawValue))
        let environments = PostgresValue.integers(round.map { Int64($0.environment.stored) })
        let tokens = PostgresValue.byteStrings(round.map(\.token.bytes))
        // A token is taken from the installation that holds it, unless that one has got another token just before.
        try self.queue(
            """
            DELETE FROM devices
            USING unnest($2::text[], $3::bigint[], $4::bytea[]) WITH ORDINALITY
                AS told (installation, environment, token, place)
            WHERE devices.app = $1 AND devices.environment = told.environment AND devices.token = told.token
                AND devices.installation <> told.installation
                AND NOT EXISTS (
                    SELECT FROM unnest($2::text[]) WITH ORDINALITY AS earlier (installation, place)
                    WHERE earlier.installation = devices.installation AND earlier.place < told.place
                )
            """,
            [.integer(app), installations, environments, tokens]
        )
        return try self.queue(
            """
            INSERT INTO devices (app, status, environment, token, registered_at, seen_at, created_at, installation,
                platform, app_version, app_version_key, locale, time_zone, user_id, tags, topics)
            SELECT $1, 0, environment, token, registered_at, registered_at, $5, installation, platform, app_version, app_version_key, locale,
                time_zone, user_id, tags::jsonb, topics::text[]
            FROM unnest($2::text[], $3::bigint[], $4::bytea[], $6::text[], $7::text[], $8::text[], $9::text[],
                $10::text[], $11::text[], $12::text[], $13::text[], $14::bigint[]) WITH ORDINALITY
                AS told (installation, environment, token, platform, app_version, app_version_key, locale, time_zone,
                    user_id, tags, topics, registered_at, place)
            ORDER BY place
            ON CONFLICT (app, installation) DO UPDATE SET status = 0, status_since = NULL, status_reason = NULL,
                environment = excluded.environment, token = excluded.token, registered_at = excluded.registered_at,
                seen_at = excluded.seen_at, platform = excluded.platform, app_version = excluded.app_version,
                app_version_key = excluded.app_version_key, locale = excluded.locale,
                time_zone = excluded.time_zone, user_id = excluded.user_id, tags = excluded.tags, topics = excluded.topics
            RETURNING created_at, user_data
            """,
            [
                .integer(app), installations, environments, tokens, .integer(now.millisecondsSince1970),
                .texts(round.map(\.profile.platform?.rawValue)), .texts(round.map(\.profile.appVersion)),
                .texts(round.map(\.profile.storedAppVersionKey)), .texts(round.map(\.profile.locale)),
                .texts(round.map(\.profile.timeZone)),
                .texts(round.map(\.profile.userID?.rawValue)), .texts(try round.map { try $0.profile.storedTags }),
                .texts(round.map { Self.arrayLiteral($0.profile.topics) }),
                .integers(times.map(\.millisecondsSince1970)),
            ]
        )
    }

    /// Texts as PostgreSQL writes an array of them; an array of arrays would need all of one length.
    private static func arrayLiteral(_ texts: Set<String>) -> String {
        // Letter by letter: what is combined with a mark is another character to Swift, but not to PostgreSQL.
        var literal: String.UnicodeScalarView = "{".unicodeScalars
        for (place, text) in texts.sorted().enumerated() {
            literal.append(contentsOf: (place == 0 ? "\"" : ",\"").unicodeScalars)
            for scalar in text.unicodeScalars {
                if scalar == "\"" || scalar == "\\" { literal.append("\\") }
                literal.append(scalar)
            }
            literal.append("\"")
        }
        literal.append("}")
        return String(literal)
    }
}

extension PostgresConnection {
    /// Leaves those registrations of a round out that were made before what is stored; see `DeviceStore.register`.
    ///
    /// `round` is a round of ``RegistrationRounds``. `now` is the time of registrations without a time of their own.
    /// - Returns: those that are to be stored.
    /// - Throws: ``PostgresFailure``.
    func current(
        of round: ArraySlice<DeviceRegistration>,
        app: Int64,
        now: Date
    ) throws -> [DeviceRegistration] {
        guard round.contains(where: { $0.registeredAt != nil }) else { return Array(round) }
        let rows = try self.rows(
            """
            SELECT installation, environment, token, registered_at FROM devices
            WHERE app = $1 AND number IN (
                SELECT number FROM devices WHERE app = $1 AND installation = ANY($2::text[])
                UNION
                SELECT devices.number FROM devices JOIN unnest($3::bigint[], $4::bytea[]) AS told (environment, token)
                    ON devices.environment = told.environment AND devices.token = told.token
                WHERE devices.app = $1
            )
            ORDER BY number FOR UPDATE
            """,
            [
                .integer(app), .texts(round.map(\.installation.rawValue)),
                .integers(round.map { Int64($0.environment.stored) }), .byteStrings(round.map(\.token.bytes)),
            ]
        )
        var holders = TokenHolders()
        for row in rows {
            // What cannot be read is replaced.
            let holder = try row.readable(in: "devices") {
                (installation: try $0.identifier("installation", InstallationID.self), target: try Target(stored: $0))
            }
            guard let holder else { continue }
            holders.store(holder.installation, holder.target, at: try row.clampedDate("registered_at") ?? now)
        }
        return round.filter { registration in
            let target = Target(token: registration.token, environment: registration.environment)
            if let time = registration.precedence {
                let latest = holders.latest(registration.installation, target)
                // Stores keep milliseconds; what is of the same one takes the place of what is stored.
                if let latest, latest.millisecondsSince1970 > time.millisecondsSince1970 { return false }
            }
            holders.store(registration.installation, target, at: registration.registeredAt ?? now)
            return true
        }
    }
}

/// Which installations have which tokens, and since when, as one registration follows another.
private struct TokenHolders {
    private var devices: [InstallationID: (target: Target, time: Date)] = [:]
    private var holders: [Target: InstallationID] = [:]

    /// When the installation, or another one that has the token, registered last.
    func latest(_ installation: InstallationID, _ target: Target) -> Date? {
        [installation, self.holders[target]].compactMap { name in name.flatMap { self.devices[$0]?.time } }.max()
    }

    /// An installation registers; another one that had its token is removed.
    mutating func store(_ installation: InstallationID, _ target: Target, at time: Date) {
        if let former = self.devices[installation]?.target { self.holders[former] = nil }
        if let holder = self.holders[target] { self.devices[holder] = nil }
        self.devices[installation] = (target, time)
        self.holders[target] = installation
    }
}
