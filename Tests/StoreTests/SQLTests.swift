// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

@Suite("Statements for both databases", .timeLimit(.minutes(20)))
struct SQLTests {
    @Test("an interpolated value becomes a parameter, and an interpolated statement becomes text")
    func render() {
        let app: AppID = "com.example.app"
        let text = "'; DROP TABLE apps"
        let condition: SQL = "app = \(app) AND state \(sqlite: "IS", postgres: "=") \(2)"
        let sql: SQL = "SELECT \(text) FROM t WHERE \(condition) AND time < \(StoreFixtures.now)\(lock: " FOR UPDATE")"
        #expect(sql.text(for: .sqlite) == "SELECT ? FROM t WHERE app = ? AND state IS ? AND time < ?")
        #expect(
            sql.text(for: .postgres) == "SELECT $1 FROM t WHERE app = $2 AND state = $3 AND time < $4 FOR UPDATE"
        )
        let expected: [SQLValue] = [
            .text(text), .text(app.rawValue), .integer(2), .integer(StoreFixtures.now.millisecondsSince1970),
        ]
        #expect("\(sql.values)" == "\(expected)")
    }

    @Test("a text for SQLite has one number for the same literals, whatever the values are")
    func numbers() throws {
        func find(_ name: String, in columns: [SQL]) -> (text: String, number: Int?) {
            let sql: SQL =
                "SELECT \(SQL(columns, separator: ", ")) FROM apps WHERE name = \(name)\(lock: " FOR UPDATE")"
            return sql.numberedText
        }
        let first = find("a", in: ["id"])
        let number = try #require(first.number)
        #expect(first.text == "SELECT id FROM apps WHERE name = ?")
        #expect(find("b", in: ["id"]) == (first.text, number))
        let other = find("a", in: ["number"])
        #expect(other.text == "SELECT number FROM apps WHERE name = ?")
        #expect(other.number != number)
        #expect(find("a", in: ["id", "number"]).text == "SELECT id, number FROM apps WHERE name = ?")
        let keys: [Int64] = [1, 2]
        let deletion: SQL = "DELETE FROM apps WHERE number \(each: keys)"
        #expect(deletion.numberedText.text == deletion.text(for: .sqlite))
        let statement = SQLStatement("SELECT 1 FROM apps WHERE id = $1")
        #expect(statement([.text("a")]).numberedText == ("SELECT 1 FROM apps WHERE id = $1", statement.number))
    }

    @Test("a statement that is rendered once takes its values by their numbers", arguments: TestStoreBackend.allCases)
    func rendered(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let statement = SQLStatement("SELECT 1 FROM apps WHERE (id = $1 OR name = $2) AND id = $1")
            let counts = try await store.sql.read { reader in
                try ["com.example.none", StoreFixtures.app.rawValue].map { id in
                    try reader.rows(statement([.text(id), .text("none")])).count
                }
            }
            #expect(counts == [0, 1])
        }
    }

    @Test("values of all types, and NULL, come back as they were stored", arguments: TestStoreBackend.allCases)
    func values(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let sql = store.sql
            let record = StoreFixtures.record("a", try StoreFixtures.plan())
            let none: String? = nil
            try await store.addSampleApp()
            let found = try await sql.write { transaction in
                let app = try transaction.lockedNumber(of: StoreFixtures.app)
                try transaction.run(
                    """
                    INSERT INTO idempotency_records
                        (app, api_key, key, request_hash, notification, status, location, body, created_at)
                    VALUES (\(app), \("寿司"), \(""), \([UInt8]()), \(record.notification.value), \(0), \(none),
                        \([0, 255] as [UInt8]), \(StoreFixtures.now))
                    """
                )
                return try transaction.rows("SELECT * FROM idempotency_records").map { row in
                    #expect(try row.string("api_key") == "寿司")
                    #expect(try row.string("key") == "")
                    #expect(try row.blob("request_hash") == [])
                    #expect(try APNsID(stored: row.blob("notification")) == record.notification.value)
                    #expect(try row.text("location") == nil)
                    #expect(try row.blob("body") == [0, 255])
                    #expect(try row.date("created_at") == StoreFixtures.now)
                    return try row.int64("status")
                }
            }
            #expect(found == [0])
        }
    }

    @Test("a statement that fails stores nothing of its transaction", arguments: TestStoreBackend.allCases)
    func failure(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let sql = store.sql
            try await store.addSampleApp()
            try await expectError(.conflict, "an app of the same ID") {
                try await sql.write { transaction in
                    try transaction.run("DELETE FROM apps WHERE id = \(StoreFixtures.app)")
                    for _ in 1...2 {
                        try transaction.run(
                            """
                            INSERT INTO apps (id, name, default_environment, created_at)
                            VALUES (\(StoreFixtures.otherApp), \(""), \(0), \(StoreFixtures.now))
                            """
                        )
                    }
                }
            }
            #expect(try await store.apps(after: nil, limit: 10).elements.map(\.id) == [StoreFixtures.app])
        }
    }

    @Test(
        "the events of a transaction are appended app by app and signaled once each",
        arguments: TestStoreBackend.allCases
    )
    func events(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let sql = store.sql
            let apps = [StoreFixtures.app, StoreFixtures.otherApp]
            for app in apps { try await store.addSampleApp(app) }
            var changes = store.changes().makeAsyncIterator()
            try await sql.write { transaction in
                for app in apps.reversed() + apps {
                    let subject = CredentialFailure.Subject(app: app, environment: .sandbox, pushType: .alert)
                    let trouble = CredentialFailure(subject: subject, cause: .failed(.noCredential))
                    transaction.append(
                        .credentialFailed(trouble, time: StoreFixtures.now),
                        app: try transaction.lockedNumber(of: app)
                    )
                }
                transaction.signal(.webhooksChanged)
            }
            #expect(await changes.next() == .webhooksChanged)
            for app in apps {
                #expect(await changes.next() == .eventsAppended(app))
                let page = try await store.events(of: app, after: nil, limit: 10, kinds: nil)
                #expect(page.events.count == 2, "\(app)")
            }
        }
    }
}
