// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Why a connection could not be opened or had to end.
public struct HTTP2SessionError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it was; what callers switch on.
    public enum Code: String, Sendable, Hashable {
        /// The peer broke a rule of HTTP/2, or does not speak it.
        case protocolViolation
        /// The peer sent more control frames than an honest peer sends.
        case flood
        /// A header list was larger than the limit that was announced.
        case headerListTooLarge
        /// The TLS handshake ended without agreeing on `h2`.
        case notHTTP2
        /// The transport failed or was closed by the peer.
        case connectionLost
        /// The call is not possible in the session's state.
        case invalidState
    }

    /// What kind of failure it was.
    public var code: Code
    /// What happened, with the values involved.
    public var message: String
    /// The lower-level error, kept whole.
    public var cause: (any Error)?

    /// An error of one kind, with what happened.
    public init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message, followed by the cause where there is one.
    public var description: String {
        if let cause = self.cause { "\(self.message) (\(cause))" } else { self.message }
    }
}
