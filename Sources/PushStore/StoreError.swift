// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel

public struct StoreError: Error, CustomStringConvertible {
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The store cannot be reached or opened, or was closed. Trying again later may help.
        case unavailable

        /// Another process kept the store locked for longer than the store waits. Trying again helps.
        case locked

        /// The store may be read but not written.
        case readOnly

        /// There is no room left. What was to be stored is not stored.
        case full

        /// What is stored is damaged, was written by a newer version, or is not this program's.
        case corrupt

        /// What the call refers to does not exist.
        case notFound

        /// Something of that name exists already.
        case conflict

        /// The lease belongs to another worker by now; what the worker wanted to settle was not settled.
        case leaseLost

        /// The call itself breaks a rule.
        case invalid
    }

    public let code: Code

    /// What happened, with the values involved, and how to fix it; holds no secret and no whole token.
    public let message: String
    public let cause: (any Error)?

    public init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Whether the same call may succeed later without anyone changing it.
    public var isTransient: Bool {
        switch self.code {
        case .unavailable, .locked, .full: true
        case .readOnly, .corrupt, .notFound, .conflict, .leaseLost, .invalid: false
        }
    }

    public var description: String { "\(self.code.rawValue): \(self.message)" }
}

extension StoreError {
    /// Something that cannot have been written by this program.
    package static func damaged(_ what: String, cause: (any Error)? = nil) -> StoreError {
        let message = "The stored \(what) cannot be read. Restore the database from a backup."
        return StoreError(code: .corrupt, message: message, cause: cause)
    }

    package static func invalid(_ message: String) -> StoreError { StoreError(code: .invalid, message: message) }

    package static func leaseLost(_ item: String, holder: WorkerID) -> StoreError {
        let reason = "it expired, another one continued, or the item was paused, ended or removed. Stop working on it."
        let message = "'\(holder)' does not hold the lease of \(item) (any more): \(reason)"
        return StoreError(code: .leaseLost, message: message)
    }

    package static func notNext(_ chunk: StreamChunk, accepted: Int) -> StoreError {
        let message = "Stream '\(chunk.stream)' has come to line \(accepted); lines \(chunk.lines) do not follow."
        return StoreError(code: .conflict, message: message)
    }

    package static func noApp(_ app: AppID) -> StoreError {
        StoreError(code: .notFound, message: "There is no app '\(app)'. Create it first.")
    }

    package static func taken(_ what: String) -> StoreError {
        StoreError(code: .conflict, message: "There is \(what) already.")
    }
}
