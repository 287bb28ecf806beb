// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SQLStore
import StoreTesting
import Synchronization
import Testing

@Suite("Plans of audiences", .timeLimit(.minutes(20)))
struct AudiencePlanTests {
    private enum Access {
        case user
        case users
        case topic
        case scan

        /// What the plan of one of the statements contains.
        func text(_ kind: TestStoreBackend) -> String {
            switch (kind, self) {
            case (.sqlite, .user), (.sqlite, .users): "devices_by_user (app=? AND user_id=?"
            case (.sqlite, .topic): "device_topics_by_topic (topic=? AND device>? AND device<?)"
            case (.sqlite, .scan): "SEARCH devices USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"
            case (.postgres, .user), (.postgres, .users): " devices_by_user"
            case (.postgres, .topic): "Bitmap Index Scan on devices_by_topic"
            case (.postgres, .scan): "using devices_pkey"
            }
        }
    }

    @Test(
        "users and topics are found by index, other devices in their order, with and without statistics",
        arguments: TestStoreBackend.allCases
    )
    func plans(kind: TestStoreBackend) async throws {
        let named = Audience.users(["anna"])
        let several = Audience.users(["anna", "ben"])
        let rare = Audience.topic("rare")
        let half = Audience.topic("half")
        // A topic of many devices is read by index on SQLite only.
        let halfAccess = kind == .sqlite ? Access.topic : .scan
        let cases: [(Audience, Access)] = [
            (named, .user), (.and([.platform(.iOS), named]), .user), (.and([.and([named]), .all]), .user),
            (several, .users), (.and([rare, several]), .users), (rare, .topic), (.and([.not(named), rare]), .topic),
            (.and([half, rare]), .topic), (half, halfAccess), (.and([half, .platform(.iOS)]), .scan), (.all, .scan),
            (.not(named), .scan), (.or([named, .platform(.iOS)]), .scan), (.not(rare), .scan),
            (.tag(TagCondition(name: "city")), .scan),
        ]
        try await withStoreAndDatabase(kind) { store, execute in
            try await store.addSampleApp()
            try await store.addDevicesWithTopics(5000)
            let log = PlanLog()
            let driver = DecoratedDriver(store.sql.driver) { PlanConnection($0, log) }
            let planned = PlannedStore(sql: SQLDatabase(driver))
            // The first import makes statistics on PostgreSQL.
            let removal = """
                DELETE FROM pg_statistic WHERE starelid = '@devices'::regclass;
                UPDATE pg_class SET reltuples = -1, relpages = 0 WHERE oid = '@devices'::regclass
                """
            for preparation in [kind == .postgres ? removal : "SELECT 1", "ANALYZE"] {
                try await execute(preparation)
                for (audience, access) in cases {
                    let range = AudienceRange(after: 3)
                    _ = try await planned.members(
                        of: audience,
                        app: StoreFixtures.app,
                        in: range,
                        limit: 10,
                        depth: .all
                    )
                    let page = log.take()
                    _ = try await planned.count(of: audience, app: StoreFixtures.app, through: nil)
                    let plans = page + log.take()
                    let text = access.text(kind)
                    #expect(plans.contains { $0.contains(text) }, "\(audience): \(plans)")
                    for scan in ["SCAN devices", "Seq Scan on devices"] {
                        #expect(!plans.contains { $0.contains(scan) }, "\(audience): \(plans)")
                    }
                    switch (kind, access) {
                    case (.sqlite, .user), (.sqlite, .topic), (.sqlite, .scan):
                        #expect(!page.contains { $0.contains("TEMP B-TREE") }, "\(audience): \(page)")
                    case (.postgres, .scan):
                        #expect(!page.contains { $0.contains("Sort") }, "\(audience): \(page)")
                    default: break
                    }
                }
            }
        }
    }
}

extension DeviceStore {
    /// Registers devices. Half of them report the topic `half`, 1 in 1,000 the topic `rare`, and few have the user
    /// `anna` or `ben`.
    func addDevicesWithTopics(_ count: Int) async throws {
        let registrations = try (0..<count).map { number in
            var profile = DeviceProfile(platform: .iOS, userID: try UserID(validating: "user \(number)"))
            if number.isMultiple(of: 2) { profile.topics.insert("half") }
            if number % 1000 == 8 { profile.topics.insert("rare") }
            if number % 1000 == 9 { profile.userID = "anna" }
            if number % 1000 == 10 { profile.userID = "ben" }
            return try StoreFixtures.registration(
                DeviceID(unchecked: "device \(number)"),
                token: number,
                profile: profile
            )
        }
        try await self.register(registrations, now: StoreFixtures.now)
    }
}

/// The audiences of a store, with the plans of their statements.
private struct PlannedStore: AudienceStore, SQLBacked {
    let sql: SQLDatabase
}

private final class PlanLog: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ plan: [String]) { self.lines.withLock { $0 += plan } }

    /// The plans since the last call.
    func take() -> [String] {
        self.lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}

/// Explains each statement before it is executed.
private final class PlanConnection: SQLConnection {
    private let connection: any SQLConnection
    private let log: PlanLog

    var dialect: SQLDialect { self.connection.dialect }

    init(_ connection: any SQLConnection, _ log: PlanLog) {
        self.connection = connection
        self.log = log
    }

    func run(_ sql: SQL) throws -> any SQLResult { try self.connection.run(sql) }

    func query(_ sql: SQL) throws -> any SQLResult {
        let column = self.dialect == .sqlite ? "detail" : "QUERY PLAN"
        let plan = try self.connection.query("EXPLAIN \(sqlite: "QUERY PLAN ")\(sql)").rows
        self.log.add(try plan.map { try $0.string(column) })
        return try self.connection.query(sql)
    }

    func commit() throws { try self.connection.commit() }
}
