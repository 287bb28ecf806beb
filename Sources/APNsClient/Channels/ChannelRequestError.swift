// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import NIOCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
public import Foundation
#endif

/// Why there is no answer to a request to manage broadcast channels.
public struct ChannelRequestError: Sendable, Hashable {
    /// The code of the failure, for callers.
    public enum Code: String, Sendable, Hashable {
        /// APNs has not seen the request: no connection could be had, or the server did not take it.
        case unreachable
        /// The credential or the certificate authority of the server is broken: nothing was sent.
        case badCredential
        /// The request was sent, but there was no response: APNs may have executed it.
        case lost
        /// APNs said that it was done, in words that cannot be read.
        case unreadable
    }

    /// The code of the failure.
    public var code: Code
    /// The error.
    public var message: String

    /// Creates a failure with a code and a message.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// Whether APNs may have executed the request.
    public var mayHaveHappened: Bool { self.code == .lost || self.code == .unreadable }
}
