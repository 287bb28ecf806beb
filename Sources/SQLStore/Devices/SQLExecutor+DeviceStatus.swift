// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension SQLExecutor {
    /// Applies `DeviceStatus.prune` to each device of an app that has one of these tokens.
    ///
    /// - Returns: a result for `deviceChanges(_:)`, with a change for each device that became invalid.
    func invalidateDevices(_ prunes: [Settlement.Prune], app: Int64) throws -> any SQLResult {
        let told = try SQLRows(
            "told",
            prunes,
            [
                "environment": { .environment($0.target.environment) },
                "token": { .bytes($0.target.token.bytes) },
                "reason": { .text($0.reason.rawValue) },
                "since": { .integer($0.inactiveSince) },
            ]
        )
        return try self.changeStatus(
            to: "status = 2, status_reason = \(told["reason"]), status_since = \(told["since"])",
            ofDevicesWith: told,
            app: app,
            where: "devices.status < 2 AND devices.registered_at <= \(told["since"])"
        )
    }

    /// Applies `DeviceStatus.suspect` to each device of an app that has one of these tokens.
    ///
    /// - Returns: a result for `deviceChanges(_:)`, with a change for each device that became suspect.
    func suspectDevices(_ suspects: [Settlement.Suspicion], app: Int64, now: Date) throws -> any SQLResult {
        let told = try SQLRows(
            "told",
            suspects,
            [
                "environment": { .environment($0.target.environment) },
                "token": { .bytes($0.target.token.bytes) },
                "reason": { .text($0.reason.rawValue) },
            ]
        )
        return try self.changeStatus(
            to: "status = 1, status_reason = \(told["reason"]), status_since = \(now)",
            ofDevicesWith: told,
            app: app,
            where: "devices.status = 0"
        )
    }

    private func changeStatus(
        to status: SQL,
        ofDevicesWith told: SQLRows,
        app: Int64,
        where condition: SQL
    ) throws -> any SQLResult {
        try self.run(
            """
            UPDATE devices SET \(status)\(" FROM ", told)
            WHERE devices.app = \(app) AND devices.environment = \(told["environment"])
                AND devices.token = \(told["token"]) AND \(condition)
            RETURNING \(told["position"]) AS position, devices.installation, devices.environment, devices.status,
                devices.status_reason, devices.status_since
            """
        )
    }

    /// The devices that a statement changed, in the order of its rows; waits for its result.
    ///
    /// A corrupt device is skipped and reported, because it must not prevent the settlement of a batch.
    func deviceChanges(_ result: any SQLResult) throws -> [DeviceChange] {
        try result.rows.mapReadable(in: "devices") {
            (position: try $0.number("position"), device: try DeviceChange(stored: $0))
        }
        .sorted { $0.position < $1.position }.map(\.device)
    }
}
