// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore

/// Why a statement or a connection failed, as libpq reports it.
struct PostgresError: Error, CustomStringConvertible {
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

    /// Whether the connection broke during a commit, so that the result of the commit is unknown.
    var isUncertain = false

    /// Whether a commit with this failure may have been executed.
    ///
    /// A server that ends the session may have executed the commit first: its error is only about the end.
    var leavesCommitUnknown: Bool { self.kind == .connection || self.kind == .deadline || self.endsSession }

    /// Whether the same transaction may go through when it is tried again: it met another one.
    var isCollision: Bool { ["40001", "40P01"].contains(self.state) }

    var isDuplicate: Bool { self.state == "23505" }

    /// Whether the connection's prepared statements are missing, belong to another one, or are outdated by a migration.
    var isStale: Bool { ["26000", "42P05", "0A000"].contains(self.state) }

    /// Whether the server lacks a feature or a permission that the statement needs: then it fails each time.
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
    /// Converts a failure of PostgreSQL for the caller; other errors are not changed.
    ///
    /// `place` is the database without a password.
    /// - Returns: a `StoreError` with the failure as its cause, or the error itself.
    static func translating(_ error: any Error, place: String) -> any Error {
        guard let failure = error as? PostgresError else { return error }
        let message = failure.message
        // See <https://www.postgresql.org/docs/current/errcodes-appendix.html>.
        let (code, text): (Code, String) =
            switch failure.kind {
            case _ where failure.isUncertain:
                (
                    .unavailable,
                    "The connection to \(place) broke while a change was committed: it may or may not be stored."
                )
            case .connection: (.unavailable, "\(place) cannot be reached: \(message). Check that the server runs.")
            case .deadline: (.unavailable, "\(place) did not respond in time: \(message). Check its load.")
            case .statement("23505"): (.conflict, "Something of that name exists already in \(place).")
            case .statement("23503"): (.notFound, "A record that the call refers to does not exist in \(place).")
            case .statement("53100"): (.full, "The disk of \(place) is full. Free space on it.")
            case .statement("25006"):
                (.unavailable, "\(place) takes no changes: it is a standby or set to read-only. Name the primary.")
            case .statement("42501"):
                (.readOnly, "\(place) refuses this user: \(message). Grant it the rights on the schema.")
            case .statement("40001"), .statement("40P01"), .statement("55P03"):
                (.locked, "Concurrent changes locked records of the call in \(place) (\(message)). Try again.")
            case .statement("26000"), .statement("42P05"):
                (
                    .unavailable,
                    "The connection to \(place) lost its prepared statements (\(message)). A pooler gives it another "
                        + "server connection for each transaction: set pool_mode = session, or connect to PostgreSQL "
                        + "directly."
                )
            case .statement("57014"):
                (.unavailable, "\(place) took longer than a request may take, and stopped. Check its load.")
            // To this process, objects that another one has migrated seem to be missing.
            case .statement("42P01"), .statement("42703"), .statement("3F000"):
                (
                    .corrupt,
                    "The tables in \(place) are not those of this version: \(message). If a newer version has changed "
                        + "them, start that one in place of this process; if not, something of them is gone: restore a "
                        + "backup."
                )
            case .statement("XX001"), .statement("XX002"):
                (.corrupt, "The tables in \(place) are corrupt: \(message). Restore them from a backup.")
            // The values of the call, a constraint, or a limit such as the size of an index row.
            case .statement(let state) where ["22", "23", "54"].contains(state.prefix(2)):
                (.invalid, "A value cannot be stored in \(place): \(message).")
            case .statement(let state):
                (.unavailable, "PostgreSQL failed at \(place): \(message) (SQLSTATE \(state)).")
            }
        return StoreError(code: code, message: text, cause: failure)
    }
}
