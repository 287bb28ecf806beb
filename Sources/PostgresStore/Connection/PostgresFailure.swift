// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore

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

    var endsSession = false

    /// Whether the connection broke while a commit was on its way, so that nobody knows what came of it.
    var isUncertain = false

    /// Whether a commit that failed like this may have been carried out.
    ///
    /// A server that ends the session may have written the commit before: its reply says only what failed last.
    var leavesCommitUnknown: Bool { self.kind == .connection || self.kind == .deadline || self.endsSession }

    /// Whether the same transaction may go through when it is tried again: it met another one.
    var isCollision: Bool { ["40001", "40P01"].contains(self.state) }

    var isDuplicate: Bool { self.state == "23505" }

    /// Whether the connection's prepared statements are gone, not its own, or made for tables that have changed since.
    var isStale: Bool { ["26000", "42P05", "0A000"].contains(self.state) }

    /// Whether the server does not have what the statement needs, or refuses it to this user: it fails each time.
    var isUnsupported: Bool { ["42", "0A"].contains(self.state?.prefix(2)) }

    /// Whether the server takes no changes on this connection; after a failover another one may.
    var isReadOnly: Bool { self.state == "25006" }

    private var state: String? { if case .statement(let state) = self.kind { state } else { nil } }

    var description: String {
        switch self.kind {
        case .statement(let state): "\(state): \(self.message)"
        case .connection: "connection: \(self.message)"
        case .deadline: "deadline: \(self.message)"
        }
    }
}

extension StoreError {
    /// What a failure of PostgreSQL means to the caller; other errors stay what they are.
    ///
    /// `place` names the database, without a password.
    /// - Returns: a `StoreError` with the failure as its cause, or the error itself.
    static func translating(_ error: any Error, place: String) -> any Error {
        guard let failure = error as? PostgresFailure else { return error }
        let (code, message) = Self.meaning(of: failure, place: place)
        return StoreError(code: code, message: message, cause: failure)
    }

    private static func meaning(of failure: PostgresFailure, place: String) -> (Code, String) {
        guard !failure.isUncertain else {
            return (
                .unavailable,
                "The connection to \(place) broke while a change was committed: it may or may not be stored."
            )
        }
        switch failure.kind {
        case .connection:
            return (.unavailable, "\(place) cannot be reached: \(failure.message). Check that the server runs.")
        case .deadline:
            return (.unavailable, "\(place) did not answer in time: \(failure.message). Check its load.")
        case .statement(let state): return self.meaning(of: state, failure.message, place: place)
        }
    }

    /// See <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
    private static func meaning(of state: String, _ message: String, place: String) -> (Code, String) {
        switch state {
        case "23505": return (.conflict, "Something of that name exists already in \(place).")
        case "23503": return (.notFound, "What the call refers to does not exist (any more) in \(place).")
        case "53100": return (.full, "The disk of \(place) is full. Free room on it.")
        case "25006":
            return (.unavailable, "\(place) takes no changes: it is a standby or set to read-only. Name the primary.")
        case "42501": return (.readOnly, "\(place) refuses this user: \(message). Grant it the rights on the schema.")
        case "40001", "40P01", "55P03":
            return (.locked, "Other changes kept what the call needs in \(place) locked (\(message)). Try again.")
        case "26000", "42P05":
            return (
                .unavailable,
                "The connection to \(place) lost its prepared statements (\(message)). A pooler gives it another server "
                    + "connection for each transaction: set pool_mode = session, or connect to PostgreSQL directly."
            )
        case "57014":
            return (.unavailable, "\(place) took longer than a request may take, and stopped. Check its load.")
        case "42P01", "42703", "3F000":
            // What another process has migrated meanwhile looks to this one as if it were gone.
            return (
                .corrupt,
                "The tables in \(place) are not those of this version: \(message). If a newer version has changed them, "
                    + "start that one in place of this process; if not, something of them is gone: restore a backup."
            )
        case "XX001", "XX002":
            return (.corrupt, "The tables in \(place) are corrupt: \(message). Restore them from a backup.")
        default: break
        }
        // The values of the call, a constraint, or a limit such as the size of an index row.
        if ["22", "23", "54"].contains(state.prefix(2)) {
            return (.invalid, "A value cannot be stored in \(place): \(message).")
        }
        return (.unavailable, "PostgreSQL failed at \(place): \(message) (SQLSTATE \(state)).")
    }
}
