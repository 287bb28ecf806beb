// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
public import PushModel
public import PushStore

extension DeviceStore where Self: SQLBacked {
    public func device(_ installation: DeviceID, of app: AppID) async throws -> Device? {
        try await self.sql.first(
            "\(SQL.devices) WHERE app = \(SQL.number(of: app)) AND installation = \(installation)"
        ) { try Device(stored: $0, app: app) }
    }

    public func devices(
        of app: AppID,
        in state: DeviceStatus.State?,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<Device, Int64> {
        try await self.sql.read { reader in
            let condition: SQL? = state.map { "status = \($0.stored)" }
            return try reader.devices(of: app, where: condition, after: cursor, limit: limit)
        }
    }

    public func devices(of app: AppID, matching search: DeviceSearch) async throws -> [Device] {
        let condition: SQL =
            switch search {
            case .token(let token): "environment IN (0, 1) AND token = \(token)"
            case .user(let user): "user_id = \(user)"
            }
        return try await self.sql.read { reader in
            try reader.rows(
                """
                \(SQL.devices) WHERE app = \(try reader.numberExpression(of: app)) AND \(condition)
                ORDER BY number LIMIT 1000
                """
            )
            .mapReadable(in: "devices") { try Device(stored: $0, app: app) }
        }
    }

    public func fixEnvironments(_ targets: [Target], of app: AppID, registeredUntil: Date) async throws -> Int {
        // A device may register the token concurrently.
        try await self.sql.write(in: .bulk, retriesConflicts: true) { transaction in
            let app = try transaction.numberExpression(of: app)
            let new = try SQLRows("new", targets: Array(Set(targets)))
            try transaction.run(
                """
                UPDATE devices SET environment = \(new["environment"]), status = 0, status_reason = NULL,
                    status_since = NULL\(" FROM ", new)
                WHERE devices.app = \(app) AND devices.environment = 1 - \(new["environment"])
                    AND devices.token = \(new["token"]) AND devices.registered_at <= \(registeredUntil)
                    AND devices.status < 2 AND devices.container = '' AND NOT EXISTS (
                        SELECT 1 FROM devices AS other
                        WHERE other.app = \(app) AND other.environment = \(new["environment"])
                            AND other.token = \(new["token"]) AND other.container = ''
                    )
                """
            )
            let told = try SQLRows("told", targets: targets)
            return try transaction.rows(
                """
                SELECT 1 AS found FROM devices\(", ", told)
                WHERE devices.app = \(app) AND \(SQL.isTarget(of: told)) AND devices.registered_at <= \(registeredUntil)
                """
            ).count
        }
    }

    public func registered(_ targets: [Target], of app: AppID) async throws -> Set<Target> {
        let told = try SQLRows("told", targets: Array(Set(targets)))
        return try await self.sql.lookUp(
            """
            SELECT devices.environment, devices.token FROM devices\(", ", told)
            WHERE devices.app = \(SQL.number(of: app)) AND \(SQL.isTarget(of: told)) AND devices.status < 2
            """,
            keys: told.count
        ) { Set(try $0.mapReadable(in: "devices") { try Target(stored: $0) }) }
    }

    public func targets(of app: AppID, installations: [DeviceID]) async throws -> [DeviceID: Target] {
        try await self.sql.lookUp(
            """
            SELECT installation, environment, token FROM devices
            WHERE app = \(SQL.number(of: app)) AND installation \(each: installations) AND status < 2
            """,
            keys: installations.count
        ) { rows in
            let found = try rows.mapReadable(in: "devices") {
                (try $0.identifier("installation", DeviceID.self), try Target(stored: $0))
            }
            return Dictionary(found) { first, _ in first }
        }
    }
}

extension SQLExecutor {
    /// A page of the devices that meet a condition.
    ///
    /// A condition that few devices meet would read all of them. So a page with a condition ends after 10,000 devices,
    /// and the next one begins there.
    func devices(
        of app: AppID,
        where condition: SQL? = nil,
        after cursor: Int64?,
        limit: Int
    ) throws -> Page<Device, Int64> {
        let limit = PageLimit.clamp(limit)
        var places = SQL.devicePlaces(of: app, after: cursor, in: self.dialect)
        var end: Int64?
        if condition != nil {
            end = try self.rowsInOrder(SQL.lastDeviceOfWindow(in: places)).first?.int64("number")
            places = SQL.devicePlaces(of: app, after: cursor, through: end, in: self.dialect)
        }
        let sql = SQL.devicePage(in: places, where: condition ?? "TRUE", limit: limit + 1)
        let page = try Page(
            overfull: self.rowsInOrder(sql),
            in: "devices",
            limit: limit,
            cursor: { try $0.int64("number") }
        ) {
            try Device(stored: $0, app: app)
        }
        return Page(elements: page.elements, next: page.next ?? end)
    }

    private func rowsInOrder(_ sql: SQL) throws -> [StoredRow] {
        // It is in one transaction with the next statement, because PostgreSQL receives both together.
        if self.dialect == .postgres { try self.run(SQL.devicesInOrder) }
        return try self.rows(sql)
    }

    /// Locks the devices with these tokens on PostgreSQL, in the order of apps and installations.
    ///
    /// Registrations do so too, except for the holder of a token that moves; PostgreSQL ends such a deadlock, and the
    /// transaction runs again.
    func lockDevices(_ targets: [(app: Int64, target: Target)]) throws {
        let told = try SQLRows(
            "told",
            targets,
            [
                "app": { .integer($0.app) }, "environment": { .environment($0.target.environment) },
                "token": { .token($0.target.token.bytes) },
            ]
        )
        try self.run(
            """
            SELECT 1 FROM devices\(", ", told)
            WHERE devices.app = \(told["app"]) AND devices.environment = \(told["environment"])
                AND devices.token = \(told["token"])
            ORDER BY devices.app, devices.installation FOR NO KEY UPDATE OF devices
            """
        )
    }

    /// Makes devices invalid; `deviceChanges(_:)` decodes the result.
    ///
    /// - Parameters:
    ///   - prunes: tokens with a 410; devices that registered after the time that APNs gave are not changed.
    ///   - refusals: tokens that APNs called bad. A suspect device with the token in the other environment becomes
    ///     invalid, because APNs has now called its token bad in both.
    func invalidateDevices(
        _ prunes: [Settlement.Prune],
        badInOtherEnvironment refusals: [Settlement.Suspicion],
        app: Int64,
        now: Date
    ) throws -> any SQLResult {
        let since = now.millisecondsSince1970
        return try self.changeStatus(
            to: "2",
            of: prunes.map { ($0.target, $0.reason, $0.inactiveSince, lowestStatus: 0) }
                + refusals.map { ($0.target.inOtherEnvironment, $0.reason, since, lowestStatus: 1) },
            app: app
        ) {
            "devices.status >= \($0["lowest_status"]) AND devices.status < 2 AND devices.registered_at <= \($0["since"])"
        }
    }

    /// Makes the active devices with these tokens suspect; `deviceChanges(_:)` decodes the result.
    func suspectDevices(_ suspects: [Settlement.Suspicion], app: Int64, now: Date) throws -> any SQLResult {
        let since = now.millisecondsSince1970
        let rejections = suspects.map { ($0.target, $0.reason, since, lowestStatus: Int64(0)) }
        return try self.changeStatus(to: "1", of: rejections, app: app) { "devices.status = \($0["lowest_status"])" }
    }

    private func changeStatus(
        to status: SQL,
        of rejections: [(target: Target, reason: RejectionReason, since: Int64, lowestStatus: Int64)],
        app: Int64,
        where condition: (SQLRows) -> SQL
    ) throws -> any SQLResult {
        let told = try SQLRows(
            "told",
            rejections,
            [
                "environment": { .environment($0.target.environment) },
                "token": { .token($0.target.token.bytes) },
                "reason": { .text($0.reason.rawValue) },
                "since": { .integer($0.since) },
                "lowest_status": { .integer($0.lowestStatus) },
            ]
        )
        return try self.run(
            """
            UPDATE devices SET status = \(status), status_reason = \(told["reason"]),
                status_since = \(told["since"])\(" FROM ", told)
            WHERE devices.app = \(app) AND \(SQL.isTarget(of: told)) AND \(condition(told))
            RETURNING \(told["position"]) AS position, devices.installation, devices.environment, devices.container,
                devices.status, devices.status_reason, devices.status_since
            """
        )
    }

    /// The changed devices in the order of the rows; a corrupt one is skipped, so that it prevents no settlement.
    func deviceChanges(_ result: any SQLResult) throws -> [DeviceStatusChange] {
        try result.rows.mapReadable(in: "devices") {
            (position: try $0.number("position"), device: try DeviceStatusChange(stored: $0))
        }
        .sorted { $0.position < $1.position }.map(\.device)
    }

    /// The number of the next new device of an app on SQLite.
    ///
    /// - Throws: ``StoreError`` `.corrupt` if the last number is not one of the app's, or the app has none left.
    func nextDeviceNumber(app: Int64) throws -> Int64 {
        let range = DeviceRowID.range(ofApp: app)
        let row = try self.first(
            """
            SELECT max(numbered_through, \(range.lowerBound), coalesce(
                (
                    SELECT number FROM devices WHERE number BETWEEN \(range.lowerBound) AND \(range.upperBound)
                    ORDER BY number DESC LIMIT 1
                ), 0
            )) AS number FROM apps WHERE number = \(app)
            """
        )
        let last = try row?.int64("number") ?? range.lowerBound
        guard range.contains(last), last < range.upperBound else {
            throw StoreError.damaged("number of a device")
        }
        return last + 1
    }

    /// The number of an app, as an expression; PostgreSQL looks it up in each statement, which saves a round trip.
    func numberExpression(of app: AppID) throws -> SQL {
        guard self.dialect == .sqlite else { return SQL.number(of: app) }
        let number = try self.number(of: app)
        return "\(number)"
    }
}

extension SQLRows {
    fileprivate convenience init(_ alias: StaticString, targets: [Target]) throws {
        try self.init(
            alias,
            targets,
            ["environment": { .environment($0.environment) }, "token": { .token($0.token.bytes) }]
        )
    }
}

extension SQL {
    fileprivate static func isTarget(of told: SQLRows) -> SQL {
        "devices.environment = \(told["environment"]) AND devices.token = \(told["token"])"
    }

    /// Lets a transaction of PostgreSQL read devices by the index of their order only.
    ///
    /// A server with few statistics of the table expects few devices, and would read and sort all that are left for each
    /// page.
    package static let devicesInOrder: SQL = """
        SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
            set_config('max_parallel_workers_per_gather', '0', true)
        """

    package static func devicePage(in places: SQL, where condition: SQL = "TRUE", limit: Int) -> SQL {
        "\(SQL.devices) WHERE \(places) AND \(condition) ORDER BY number LIMIT \(limit)"
    }

    /// Reads the number of the 10,000th device; no row if there are fewer.
    static func lastDeviceOfWindow(in places: SQL) -> SQL {
        "SELECT number FROM devices WHERE \(places) ORDER BY number LIMIT 1 OFFSET 9999"
    }

    /// The devices after a cursor; SQLite has the order of all apps in one key, PostgreSQL has it for each app.
    package static func devicePlaces(
        of app: AppID,
        after cursor: Int64?,
        through end: Int64? = nil,
        in dialect: SQLDialect
    ) -> SQL {
        let place = cursor ?? 0
        if dialect == .postgres {
            let start: SQL = "app = \(SQL.number(of: app)) AND number > \(place)"
            return end.map { "\(start) AND number <= \($0)" } ?? start
        }
        let first: SQL = "\(SQL.number(of: app)) * \(DeviceRowID.count)"
        // One upper bound: of two, SQLite ends its search at one of them only, and tests the other for each row.
        let bound: SQL = end.map { "number <= \($0)" } ?? "number < (\(first)) + \(DeviceRowID.count)"
        return "number > max(\(first), \(place)) AND \(bound)"
    }
}

/// The numbers of an app's devices: the app's own number, then 40 bits that count its registrations.
package enum DeviceRowID {
    private static let bits: Int64 = 40
    static let count: Int64 = 1 << Self.bits

    package static func range(ofApp app: Int64) -> ClosedRange<Int64> {
        (app << Self.bits)...(app << Self.bits | (1 << Self.bits - 1))
    }
}
