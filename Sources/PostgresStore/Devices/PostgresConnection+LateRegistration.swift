// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension PostgresConnection {
    /// Leaves those registrations of a round out that were made before what is stored; see `DeviceStore.register`.
    ///
    /// - Parameters:
    ///   - round: what the apps told, a round of ``RegistrationRounds``.
    ///   - app: the app's number.
    ///   - now: when those told it that have no time of their own.
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
            holders.store(
                try row.identifier("installation"),
                try Target(stored: row),
                at: try row.date("registered_at")
            )
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
