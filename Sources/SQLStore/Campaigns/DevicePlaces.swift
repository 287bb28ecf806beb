// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

/// A range of places in the order of an app's devices.
struct DevicePlaces {
    /// The number of the app; on PostgreSQL a subquery.
    let app: SQL
    let after: Int64
    var through: Int64

    /// The condition that a number is in the range.
    func contain(_ number: SQL) -> SQL { "\(number) > \(self.after) AND \(number) <= \(self.through)" }
}

extension SQLExecutor {
    /// The places of an app's devices in a range; `nil` if there are none.
    func places(of app: AppID, in range: AudienceRange) throws -> DevicePlaces? {
        var places: DevicePlaces
        switch self.dialect {
        case .sqlite:
            guard let number = try self.number(of: app), let last = try self.lastPlace(ofApp: number) else {
                return nil
            }
            places = DevicePlaces(
                app: "\(number)",
                after: max(DeviceNumber.range(ofApp: number).lowerBound, range.after),
                through: min(range.through ?? .max, last)
            )
        case .postgres:
            places = DevicePlaces(app: SQL.number(of: app), after: range.after, through: range.through ?? .max)
        }
        return places.after < places.through ? places : nil
    }

    /// The place of an app's last device; `nil` if it has none.
    func lastPlace(ofApp app: Int64) throws -> Int64? {
        try self.first(
            """
            SELECT number FROM devices WHERE \(SQL.devicePlaces(of: app, after: nil, in: self.dialect))
            ORDER BY number DESC LIMIT 1
            """
        )?.int64("number")
    }
}
