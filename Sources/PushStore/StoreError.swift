// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel

public struct StoreError: Error, CustomStringConvertible {
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The store is unreachable or closed. A later retry may succeed.
        case unavailable

        /// Another process locked the store for longer than the store waits. A retry helps.
        case locked

        /// The store accepts reads, but no writes.
        case readOnly

        /// The disk is full. The change was not stored.
        case full

        /// The stored data is corrupt, was written by a newer version, or is not of this program.
        case corrupt

        /// A record that the call refers to does not exist.
        case notFound

        /// A record of that name exists already, or a concurrent change was first.
        case conflict

        /// The worker lost the lease; its settlement was not stored.
        case leaseLost

        /// The call itself breaks a rule.
        case invalid
    }

    public let code: Code

    /// The failure with its values, and how to fix it; contains no secret and no complete token.
    public let message: String
    public let cause: (any Error)?

    public init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Whether the same call may succeed later.
    public var isTransient: Bool {
        switch self.code {
        case .unavailable, .locked, .full: true
        case .readOnly, .corrupt, .notFound, .conflict, .leaseLost, .invalid: false
        }
    }

    public var description: String { "\(self.code.rawValue): \(self.message)" }
}

extension StoreError {
    /// Creates an error for a record that this program cannot have written.
    package static func damaged(_ what: String, cause: (any Error)? = nil) -> StoreError {
        let message = "The stored \(what) cannot be read. Restore the database from a backup."
        return StoreError(code: .corrupt, message: message, cause: cause)
    }

    package static func invalid(_ message: String) -> StoreError { StoreError(code: .invalid, message: message) }

    package static func leaseLost(_ item: String, holder: WorkerID) -> StoreError {
        let reason =
            "it expired and another worker claimed the item, or the item was paused, completed or removed. Stop "
            + "processing it."
        let message = "Worker '\(holder)' lost the lease of \(item): \(reason)"
        return StoreError(code: .leaseLost, message: message)
    }

    package static func notNext(_ chunk: StreamChunk, accepted: Int) -> StoreError {
        let message =
            "Stream '\(chunk.stream)' has \(accepted) accepted lines: expected a chunk that starts at line "
            + "\(accepted + 1), got lines \(chunk.lines). Resume from line \(accepted + 1)."
        return StoreError(code: .conflict, message: message)
    }

    package static func noApp(_ app: AppID) -> StoreError {
        StoreError(code: .notFound, message: "There is no app '\(app)'. Create it first.")
    }

    package static func taken(_ what: String) -> StoreError {
        StoreError(
            code: .conflict,
            message: "There is \(what) already. Use another name, or change the existing one."
        )
    }
}
