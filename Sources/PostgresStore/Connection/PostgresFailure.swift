// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Why a statement or a connection failed, as libpq tells it.
struct PostgresFailure: Error, CustomStringConvertible {
    enum Kind: Hashable, Sendable {
        /// The server refused a statement, with this SQLSTATE.
        case statement(state: String)

        /// There is no connection, or it broke.
        case connection

        /// The deadline passed while the connection was waited for.
        case deadline
    }

    let kind: Kind

    /// The server's or libpq's own words: the primary message only, since details hold values.
    let message: String

    /// Whether the connection broke while a commit was on its way, so that nobody knows what came of it.
    var isUncertain = false

    /// Whether the same transaction may go through when it is tried again: it met another one.
    var isCollision: Bool { self.kind == .statement(state: "40001") || self.kind == .statement(state: "40P01") }

    /// Whether something of that name exists already.
    var isDuplicate: Bool { self.kind == .statement(state: "23505") }

    /// Whether the connection's prepared statements are gone, or made for tables that have changed since.
    var isStale: Bool { self.kind == .statement(state: "26000") || self.kind == .statement(state: "0A000") }

    /// Whether the server takes no changes on this connection; after a failover another one may.
    var isReadOnly: Bool { self.kind == .statement(state: "25006") }

    /// The kind and the message.
    var description: String {
        switch self.kind {
        case .statement(let state): "\(state): \(self.message)"
        case .connection: "connection: \(self.message)"
        case .deadline: "deadline: \(self.message)"
        }
    }
}
