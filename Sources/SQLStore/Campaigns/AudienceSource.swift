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

    /// The conditions to check.
    let condition: Audience

    let end: End
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

    /// The next devices of the app.
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
}

extension DevicePlaces {
    /// The range up to a number of places after one of them.
    fileprivate func prefix(_ count: Int, after place: Int64) -> DevicePlaces {
        var part = self
        let (end, isOverflow) = place.addingReportingOverflow(Int64(count))
        if !isOverflow { part.through = min(self.through, end) }
        return part
    }

    /// The end of this part of a range.
    fileprivate func end(in whole: DevicePlaces) -> AudienceSource.End {
        self.through < whole.through ? .place(self.through) : .none
    }
}

extension AudienceSource {
    /// The devices of a list of numbers, on SQLite.
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
