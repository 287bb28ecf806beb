// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Why a store did not do what it was asked.
public struct StoreError: Error, CustomStringConvertible {
    /// What kind of failure it is.
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

    /// The kind of failure, for callers that switch on it.
    public let code: Code

    /// What happened, with the values involved, and how to fix it; holds no secret and no whole token.
    public let message: String

    /// The failure beneath, where there is one.
    public let cause: (any Error)?

    /// Describes a failure.
    ///
    /// - Parameters:
    ///   - code: its kind.
    ///   - message: what happened and how to fix it.
    ///   - cause: the failure beneath, or `nil`.
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

    /// The code and the message.
    public var description: String { "\(self.code.rawValue): \(self.message)" }
}
