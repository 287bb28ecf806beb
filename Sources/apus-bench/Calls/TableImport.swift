// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation

/// Imports devices with the tool of the database, as the upper limit of an import through the API: `.import` of
/// `sqlite3`, or `\copy` of `psql`.
///
/// The table has the columns and indexes of `devices`, and already contains the other devices.
struct TableImport {
    let store: BenchStore

    /// The rows of the devices to import, as a condition in SQL.
    let rows: String

    private var file: String { "\(self.store.data)/rows" }

    /// Imports the rows, `count` of them.
    ///
    /// - Returns: rows per second.
    /// - Throws: ``CommandError`` if a tool fails, or the table does not have the rows afterwards.
    func perSecond(count: Int) async throws -> Double {
        let seconds = try await self.store.url == nil ? self.sqlite(count: count) : self.postgres(count: count)
        Console.note("import by the tool of the database: \(Int(Double(count) / seconds))/s")
        return Double(count) / seconds
    }

    private func sqlite(count: Int) async throws -> Double {
        let source = LocalStore.path(in: self.store.data)
        let table = "\(self.store.data)/table.db"
        // `.import` stores texts: a table that is STRICT refuses them as blobs and as missing numbers.
        let schema = try await self.sqlite3(
            source,
            "SELECT replace(sql, ') STRICT', ')') || ';' FROM sqlite_schema "
                + "WHERE tbl_name = 'devices' AND type <> 'trigger' AND sql IS NOT NULL"
        ).joined(separator: "\n")
        // A text of as many bytes in place of each blob.
        let columns = try await self.sqlite3(
            source,
            "SELECT group_concat(CASE type WHEN 'BLOB' THEN 'substr(hex(' || name || '), 1, length(' || name || '))' "
                + "ELSE name END) FROM pragma_table_info('devices')"
        ).joined()
        _ = try await self.sqlite3(
            table,
            "PRAGMA journal_mode = wal",
            schema,
            "ATTACH '\(source)' AS source",
            "INSERT INTO main.devices SELECT \(columns) FROM source.devices WHERE NOT (\(self.rows))"
        )
        let query = "SELECT \(columns) FROM devices WHERE \(self.rows) ORDER BY number"
        _ = try await self.sqlite3(source, ".mode csv", ".once \(self.file)", query)
        return try await self.measure(count: count) {
            _ = try await self.sqlite3(table, ".mode csv", ".import \(self.file) devices")
        } rows: {
            try await self.sqlite3(table, "SELECT count(*) FROM devices WHERE \(self.rows)")
        }
    }

    private func postgres(count: Int) async throws -> Double {
        let server = DatabaseServer(url: self.store.url ?? "", log: "\(self.store.data)/psql.log")
        try await server.run(
            "SET search_path = apus",
            "CREATE TABLE imported (LIKE devices INCLUDING ALL)",
            "INSERT INTO imported SELECT * FROM devices WHERE NOT (\(self.rows))",
            "\\copy (SELECT * FROM devices WHERE \(self.rows) ORDER BY number) TO '\(self.file)'"
        )
        return try await self.measure(count: count) {
            try await server.run("\\copy apus.imported FROM '\(self.file)'")
        } rows: {
            try await server.run("SELECT count(*) FROM apus.imported WHERE \(self.rows)")
        }
    }

    private func measure(
        count: Int,
        _ run: () async throws -> Void,
        rows: () async throws -> [String]
    ) async throws -> Double {
        sync()
        let taken = try await ContinuousClock().measure { try await run() }
        let imported = try await rows().last ?? ""
        guard imported == "\(count)" else {
            throw CommandError("bad_run", "The tool of the database imported \(imported) rows, expected \(count).")
        }
        return taken / .seconds(1)
    }

    private func sqlite3(_ database: String, _ commands: String...) async throws -> [String] {
        try await ExternalTool.run(
            ExternalTool.path("sqlite3"),
            ["-bail", database] + commands,
            log: "\(self.store.data)/sqlite3.log"
        )
    }
}
