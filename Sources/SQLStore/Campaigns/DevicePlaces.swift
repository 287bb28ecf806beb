// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

/// A range of places in the order of an app's devices, with the time zones that are read.
struct DevicePlaces {
    /// The number of the app; on PostgreSQL a subquery.
    let app: SQL
    let after: Int64
    var through: Int64
    let zones: ZoneFilter

    /// The condition that a number is in the range.
    func contain(_ number: SQL) -> SQL { "\(number) > \(self.after) AND \(number) <= \(self.through)" }
}

extension SQLExecutor {
    /// The places of an app's devices in a range; `nil` if there are none.
    func places(of app: AppID, in range: AudienceRange) throws -> DevicePlaces? {
        let places: DevicePlaces
        switch self.dialect {
        case .sqlite:
            guard let number = try self.number(of: app), let last = try self.lastPlace(ofApp: number) else {
                return nil
            }
            places = DevicePlaces(
                app: "\(number)",
                after: max(DeviceNumber.range(ofApp: number).lowerBound, range.after),
                through: min(range.through ?? .max, last),
                zones: range.zones
            )
        case .postgres:
            places = DevicePlaces(
                app: SQL.number(of: app),
                after: range.after,
                through: range.through ?? .max,
                zones: range.zones
            )
        }
        return places.after < places.through ? places : nil
    }

    /// The place of an app's last device; `nil` if it has none.
    func lastPlace(ofApp app: Int64) throws -> Int64? {
        let condition: SQL
        switch self.dialect {
        case .sqlite:
            let numbers = DeviceNumber.range(ofApp: app)
            condition = "number > \(numbers.lowerBound) AND number <= \(numbers.upperBound)"
        case .postgres:
            condition = "app = \(app)"
        }
        return try self.first("SELECT number FROM devices WHERE \(condition) ORDER BY number DESC LIMIT 1")?
            .int64("number")
    }
}
