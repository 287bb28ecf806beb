// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

/// Where one statement reads the next devices of an audience.
struct AudienceSource {
    /// The place after which the next statement continues.
    enum End {
        /// There are no devices after this statement.
        case none
        case place(Int64)
        /// Finds the place as `number`; no row means that there are no devices after this statement.
        case query(SQL)
    }

    /// The tables, with a condition.
    let rows: SQL
    /// The column with the places of the devices.
    var place: SQL = "number"
    let condition: Audience
    let end: End

    fileprivate static func joining(_ list: SQL, _ condition: Audience, end: End) -> AudienceSource {
        AudienceSource(
            rows: "(\(list)) AS chosen CROSS JOIN devices NOT INDEXED ON devices.number = chosen.value WHERE TRUE",
            // SQLite would sort by the other number.
            place: "chosen.value",
            condition: condition,
            end: end
        )
    }
}

extension SQLExecutor {
    /// The next devices of an audience; `nil` if there are none.
    ///
    /// - Parameters:
    ///   - limit: The number of devices that the caller needs.
    ///   - window: The largest number of devices that the statement reads.
    func source(of audience: Audience, in places: DevicePlaces, limit: Int, window: Int) throws -> AudienceSource? {
        guard let search = try self.search(for: audience, in: places, window: window) else {
            return try self.scan(audience, in: places, window: window)
        }
        var lists: [DeviceList]
        switch search.candidates {
        case .lists(let candidates): lists = candidates
        case .few(let list): return .joining(list.rows(in: places), search.condition, end: .none)
        case .condition(let condition):
            // Without OFFSET the server could read all devices of the app in their order.
            return AudienceSource(
                rows: """
                    (SELECT * FROM devices WHERE \(condition) OFFSET 0) AS devices
                    WHERE app = \(places.app) AND \(places.contain("number"))
                    """,
                condition: search.condition,
                end: .none
            )
        }
        if self.dialect == .sqlite, lists.allSatisfy(\.isOrdered) {
            // Mostly one list has all devices. A join reads them as fast as a scan does.
            let firsts = try lists.map { try self.first($0.first(1, in: places))?.int64("value") }
            guard let first = firsts.compactMap(\.self).min() else { return nil }
            lists = zip(lists, firsts).compactMap { list, first in first == nil ? nil : list }
            if lists.count == 1 {
                let part = places.prefix(window, after: first)
                return .joining(lists[0].rows(in: part), search.condition, end: part.end(in: places))
            }
        }
        let (numbers, isLast) = try self.candidates(of: lists, in: places, limit: limit)
        guard let last = numbers.last else { return nil }
        let end = isLast ? AudienceSource.End.none : .place(last)
        switch self.dialect {
        case .sqlite:
            let list = "[\(numbers.lazy.map(String.init).joined(separator: ","))]"
            return .joining("SELECT value FROM json_each(\(list))", search.condition, end: end)
        case .postgres:
            return AudienceSource(
                rows: "devices WHERE app = \(places.app) AND number \(in: numbers)",
                condition: search.condition,
                end: end
            )
        }
    }

    private func scan(_ audience: Audience, in places: DevicePlaces, window: Int) throws -> AudienceSource {
        switch self.dialect {
        case .sqlite:
            // The numbers of an app's devices have few gaps.
            let part = places.prefix(window, after: places.after)
            return AudienceSource(
                rows: "devices NOT INDEXED WHERE \(part.contain("number"))",
                condition: audience,
                end: part.end(in: places)
            )
        case .postgres:
            try self.run(SQL.devicesInOrder)
            let scope: SQL = "app = \(places.app) AND \(places.contain("number"))"
            return AudienceSource(
                rows: "(SELECT * FROM devices WHERE \(scope) ORDER BY number LIMIT \(window)) AS devices WHERE TRUE",
                condition: audience,
                end: .query("SELECT number FROM devices WHERE \(scope) ORDER BY number OFFSET \(window - 1) LIMIT 1")
            )
        }
    }

    /// The places of an app's devices in a range; `nil` if there are none.
    func places(of app: AppID, in range: AudienceRange) throws -> DevicePlaces? {
        let (after, through) = (range.after, range.through ?? .max)
        var places = DevicePlaces(app: SQL.number(of: app), after: after, through: through, zones: range.zones)
        if self.dialect == .sqlite {
            guard let number = try self.number(of: app), let last = try self.lastPlace(ofApp: number) else {
                return nil
            }
            places.app = "\(number)"
            places.after = max(DeviceRowID.range(ofApp: number).lowerBound, after)
            places.through = min(through, last)
        }
        return places.after < places.through ? places : nil
    }

    /// The place of an app's last device; `nil` if it has none.
    func lastPlace(ofApp app: Int64) throws -> Int64? {
        let numbers = DeviceRowID.range(ofApp: app)
        let condition: SQL =
            switch self.dialect {
            case .sqlite: "number > \(numbers.lowerBound) AND number <= \(numbers.upperBound)"
            case .postgres: "app = \(app)"
            }
        return try self.first("SELECT number FROM devices WHERE \(condition) ORDER BY number DESC LIMIT 1")?
            .int64("number")
    }
}

/// A range of places in the order of an app's devices, with the time zones that are read.
struct DevicePlaces {
    /// The number of the app; on PostgreSQL a subquery.
    var app: SQL
    var after: Int64
    var through: Int64
    let zones: TimeZoneFilter

    func contain(_ number: SQL) -> SQL { "\(number) > \(self.after) AND \(number) <= \(self.through)" }

    /// The range up to a number of places after one of them.
    fileprivate func prefix(_ count: Int, after place: Int64) -> DevicePlaces {
        var part = self
        let (end, isOverflow) = place.addingReportingOverflow(Int64(count))
        if !isOverflow { part.through = min(self.through, end) }
        return part
    }

    fileprivate func end(in whole: DevicePlaces) -> AudienceSource.End {
        self.through < whole.through ? .place(self.through) : .none
    }
}
