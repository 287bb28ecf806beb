// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// The outcome of one notification.
///
/// A rejection is an expected result, and so a value, not an error.
public enum SendOutcome: Sendable, Hashable {
    /// APNs answered 200: it accepted the notification. That does not mean that a device showed it.
    case accepted
    /// APNs answered with a reason.
    case rejected(Rejection)
    /// APNs gave no answer.
    case failed(SendFailure)
}

/// Why APNs gave no answer to a notification.
public struct SendFailure: Sendable, Hashable {
    /// The code of the failure, for callers.
    public enum Code: String, Sendable, Hashable {
        /// The deadline passed while the answer was awaited: APNs may have taken the notification.
        case deadlineExceeded
        /// The deadline passed while the notification waited for its turn: APNs has not seen it.
        ///
        /// Connections worked, but none had a stream free for it. It counts as no attempt.
        case notSent
        /// No connection could be had before the deadline: APNs has not seen the notification.
        case unreachable
        /// No connection could be had before the deadline, the last one since APNs refused the client certificate in
        /// the TLS handshake: it has not seen the notification.
        case certificateRefused
        /// The destination can never work: its credential or its certificate authority is broken.
        case badCredential
        /// Connections were lost with the notification in flight, more often than it is resent, or the deadline passed
        /// before it could be sent again.
        case connectionLost
        /// The server reset the notification's stream, more often than it is resent, or the deadline passed before it
        /// could be sent again.
        case streamReset
        /// The client is shutting down, or does not run: APNs has not seen the notification.
        case shuttingDown
        /// The caller's task was cancelled before the notification was sent: APNs has not seen it.
        case cancelled
    }

    /// The code of the failure.
    public var code: Code
    /// The error, with the last error of a connection if there was one.
    public var message: String

    /// Creates a failure with a code and a message.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }
}
