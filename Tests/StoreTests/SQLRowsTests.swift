// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

@Suite("Row sets", .timeLimit(.minutes(20)))
struct SQLRowsTests {
    private static func devices(_ numbers: Range<Int>) throws -> SQLRows {
        try SQLRows(
            "new",
            Array(numbers),
            [
                "installation": { .text("device \($0)") },
                "token": { .bytes([UInt8($0)]) },
            ]
        )
    }

    @Test("an INSERT of rows takes arrays on PostgreSQL and the values of one row on SQLite")
    func insert() throws {
        let rows = try Self.devices(1..<3)
        let others: KeyValuePairs<StaticString, SQL?> = [
            "app": "\(7)", "token": "\(sqlite: "", postgres: "CAST(")\(rows["token"])\(postgres: " AS bytea)")",
        ]
        let sql: SQL = "INSERT INTO devices \(rows.insert(others)) ON CONFLICT DO NOTHING"
        #expect(
            sql.text(for: .sqlite)
                == "INSERT INTO devices (app, token, installation) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        )
        #expect(
            sql.text(for: .postgres) == """
                INSERT INTO devices (app, token, installation) SELECT $1, CAST(new.token AS bytea), new.installation \
                FROM unnest($2, $3) WITH ORDINALITY AS new (installation, token, row_position) ORDER BY row_position \
                ON CONFLICT DO NOTHING
                """
        )
        let (installations, tokens): ([SQLValue], [SQLValue]) = (
            [.text("device 1"), .text("device 2")], [.bytes([1]), .bytes([2])]
        )
        let onSQLite: [SQLParameter] = [.value(.integer(7)), .column(tokens), .column(installations)]
        #expect("\(sql.parameters(for: .sqlite))" == "\(onSQLite)")
        let onPostgres: [SQLParameter] = [.value(.integer(7)), .column(installations), .column(tokens)]
        #expect("\(sql.parameters(for: .postgres))" == "\(onPostgres)")
    }

    @Test("an UPDATE from rows joins them on PostgreSQL and takes the values of one row on SQLite")
    func update() throws {
        let rows = try Self.devices(1..<2)
        let sql: SQL = """
            UPDATE devices SET token = \(rows["token"])\(" FROM ", rows)
            WHERE devices.app = \(7) AND devices.installation = \(rows["installation"])
            RETURNING \(rows["row_position"]) AS position
            """
        #expect(
            sql.text(for: .sqlite) == """
                UPDATE devices SET token = ?
                WHERE devices.app = ? AND devices.installation = ?
                RETURNING ? AS position
                """
        )
        #expect(
            sql.text(for: .postgres) == """
                UPDATE devices SET token = new.token \
                FROM unnest($1, $2) WITH ORDINALITY AS new (installation, token, row_position)
                WHERE devices.app = $3 AND devices.installation = new.installation
                RETURNING new.row_position AS position
                """
        )
        let expected: [SQLParameter] = [
            .column([.bytes([1])]), .value(.integer(7)), .column([.text("device 1")]), .column([.integer(1)]),
        ]
        #expect("\(sql.parameters(for: .sqlite))" == "\(expected)")
    }

    @Test("a condition on keys takes an array on PostgreSQL and one key on SQLite")
    func keys() {
        let numbers: [Int64] = [1, 2]
        let sql: SQL = "DELETE FROM devices WHERE app = \(7) AND number \(each: numbers)"
        #expect(sql.text(for: .sqlite) == "DELETE FROM devices WHERE app = ? AND number = ?")
        #expect(sql.text(for: .postgres) == "DELETE FROM devices WHERE app = $1 AND number = ANY ($2)")
        let list: SQL = "number \(in: numbers)"
        #expect(list.text(for: .sqlite) == "number IN (SELECT value FROM json_each(?))")
        #expect(list.text(for: .postgres) == "number = ANY ($1)")
    }

    @Test("a result has the rows and the changes of all rows", arguments: TestStoreBackend.allCases)
    func execution(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let sql = store.sql
            let apps: [AppID] = ["a", "b", "c"]
            try await sql.write { transaction in
                let rows = try SQLRows("new", apps, ["id": { .identifier($0) }, "created_at": { _ in .integer(1) }])
                let inserted = try transaction.run(
                    """
                    INSERT INTO apps \(rows.insert(["name": "\("")", "default_environment": "0"]))
                    ON CONFLICT DO NOTHING RETURNING id
                    """
                )
                let ids = try inserted.rows.map { try $0.string("id") }
                #expect(ids == ["a", "b", "c"])
                #expect(try inserted.changes == 3)
                let times: [(AppID, Int64)] = [("c", 4), ("a", 5), ("none", 6)]
                let new = try SQLRows("new", times, ["id": { .identifier($0.0) }, "time": { .integer($0.1) }])
                let updated = try transaction.run(
                    """
                    UPDATE apps SET created_at = \(new["time"])\(" FROM ", new) WHERE apps.id = \(new["id"])
                    RETURNING apps.created_at, \(new["row_position"]) AS position
                    """
                )
                let found = try updated.rows.map { [try $0.int64("created_at"), try $0.int64("position")] }
                #expect(Set(found) == [[4, 1], [5, 2]])
                #expect(try updated.changes == 2)
                let numbers = try transaction.rows("SELECT number FROM apps WHERE id \(each: Array(apps.dropLast()))")
                    .map { try $0.int64("number") }
                #expect(try transaction.rows("SELECT id FROM apps WHERE number \(in: numbers)").count == 2)
                #expect(try transaction.run("DELETE FROM apps WHERE number \(each: numbers)").changes == 2)
                #expect(try transaction.run("DELETE FROM apps WHERE number \(each: [Int64]())").changes == 0)
            }
            #expect(try await store.apps(after: nil, limit: 10).elements.map(\.id) == ["c"])
        }
    }

    @Test("an upsert of rows with equal keys fails", arguments: TestStoreBackend.allCases)
    func equalKeys(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let sql = store.sql
            @Sendable func upsert(_ apps: [AppID], at time: Int64) async throws {
                try await sql.write { transaction in
                    let rows = try SQLRows(
                        "new",
                        apps,
                        ["id": { .identifier($0) }, "created_at": { _ in .integer(time) }]
                    )
                    try transaction.run(
                        """
                        INSERT INTO apps \(rows.insert(["name": "\("")", "default_environment": "0"]))
                        ON CONFLICT (id) DO UPDATE SET created_at = excluded.created_at
                        """
                    )
                }
            }
            try await upsert(["a", "b"], at: 1000)
            try await upsert(["b", "c"], at: 2000)
            await #expect(throws: (any Error).self) { try await upsert(["c", "d", "c"], at: 3000) }
            #expect(try await store.apps(after: nil, limit: 10).elements.map(\.id) == ["a", "b", "c"])
        }
    }
}
