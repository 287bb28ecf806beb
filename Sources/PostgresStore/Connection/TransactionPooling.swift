// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CLibPQ
import PushStore
import SQLStore

extension PostgresConnection {
    /// How often two connections are compared; one comparison finds a pooler that has no other clients.
    private static let comparisons = 5

    /// Refuses a pooler that gives a connection another server connection for each transaction, such as PgBouncer with
    /// `pool_mode = transaction`.
    ///
    /// Prepared statements, `search_path` and `LISTEN` belong to a server connection, so one client would use those of
    /// another. A direct connection costs one round trip; `open` makes a second connection only behind a pooler.
    /// - Throws: `StoreError` `.invalid`, and what `open` throws.
    func refuseTransactionPooling(at place: String, open: () throws -> PostgresConnection) throws {
        let first = try self.serverProcess()
        // A pooler answers with a number of its own in place of the server's.
        guard first != Int64(PQbackendPID(self.handle)) else { return }
        let other = try open()
        for _ in 0..<Self.comparisons {
            // The transaction keeps its server connection, so this connection would have to take another one.
            try other.queueOnce("BEGIN")
            let isShared = try other.serverProcess() == first
            let isPooled = try isShared || self.serverProcess() != first
            try other.queueOnce("COMMIT")
            try other.receive()
            guard isPooled else { continue }
            throw StoreError(
                code: .invalid,
                message: "\(place) is a pooler that changes the server connection between transactions. Apus needs one "
                    + "server connection for each of its connections: set pool_mode = session (PgBouncer), or connect "
                    + "to PostgreSQL directly."
            )
        }
    }

    /// The number of the server process that carries out the current or next transaction.
    private func serverProcess() throws -> Int64 {
        let rows = try self.query("SELECT pg_backend_pid()::bigint AS process").rows
        guard let row = rows.first else { throw StoreError.damaged("process") }
        return try row.int64("process")
    }
}
