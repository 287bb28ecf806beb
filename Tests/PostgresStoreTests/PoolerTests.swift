// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import StoreTesting
import Testing

@testable import PostgresStore

@Suite("PostgreSQL behind PgBouncer", .timeLimit(.minutes(20)))
struct PoolerTests {
    @Test("a pooler in session mode serves a store")
    func session() async throws {
        try await TestPostgresServer.withServer { server in
            let url = try await server.pool("session")
            try await withPostgresStore(configuration: .inTest(url), logger: .silent) { store in
                try await store.addSampleApp()
                let plan = try StoreFixtures.plan()
                try await store.accept(plan)
                #expect(try await store.claim().map(\.batch.id) == plan.batches.map(\.id))
            }
        }
    }

    @Test("a pooler in transaction mode is refused, alone and beside other clients, and no tables are made")
    func transaction() async throws {
        try await TestPostgresServer.withServer { server in
            let url = try await server.pool("transaction")
            // Each of them leaves a server connection to the pooler, one is kept in a transaction.
            let others = (0..<4).map { _ in SQLSession(url: url) }
            for count in 0...others.count {
                if count > 0 { try await others[count - 1].execute("BEGIN") }
                for other in others.prefix(max(0, count - 1)) { try await other.execute("COMMIT") }
                let error = try await storeError {
                    try await PostgresStore(configuration: .inTest(url), logger: .silent)
                }
                #expect(error?.code == .invalid, "\(count): \(String(describing: error))")
                #expect(error?.message.contains("pool_mode = session") == true)
            }
            let schemas = "SELECT nspname FROM pg_namespace WHERE nspname = 'apus'"
            #expect(try await SQLSession.execute(schemas, at: server.url).isEmpty)
        }
    }

    @Test("a statement that another client prepared is never executed")
    func names() async throws {
        try await TestPostgresServer.withServer { server in
            let url = try await server.pool("transaction")
            let (first, second) = (
                try PostgresConnection.inTest(url, schema: "public"),
                try PostgresConnection.inTest(url, schema: "public")
            )
            let (one, two) = ("SELECT 1::bigint AS number", "SELECT 2::bigint AS number")
            #expect(try first.row(text: one)?.int64("number") == 1)
            // The pooler gives it the same server connection.
            #expect(try second.row(text: two)?.int64("number") == 2)
            try second.transaction { second throws in
                #expect(try second.row(text: two)?.int64("number") == 2)
                // And now this one gets another, which knows none of its statements.
                let failure = #expect(throws: PostgresError.self) { try first.row(text: one) }
                #expect(failure?.kind == .statement(state: "26000"))
                #expect(failure?.isStale == true)
            }
        }
    }

    @Test("lost and taken statements are told as a pooler's", arguments: ["26000", "42P05"])
    func meaning(state: String) {
        let failure = PostgresError(kind: .statement(state: state), message: "prepared statement")
        let error = StoreError.translating(failure, place: "PostgreSQL db/apus") as? StoreError
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("pool_mode = session") == true)
    }
}
