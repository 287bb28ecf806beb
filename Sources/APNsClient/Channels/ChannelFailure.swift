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
public struct ChannelFailure: Sendable, Hashable {
    /// What kind of failure it was; what callers switch on.
    public enum Code: String, Sendable, Hashable {
        /// APNs has not seen the request: no connection could be had, or the server did not take it.
        case unreachable
        /// The credential or the certificate authority of the server is broken: nothing was sent.
        case badCredential
        /// The request was sent, and its answer did not come: APNs may have done what it asks for.
        case lost
        /// APNs said that it was done, in words that cannot be read.
        case unreadable
    }

    /// What kind of failure it was.
    public var code: Code
    /// What happened.
    public var message: String

    /// A failure of one kind, with what happened.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// Whether APNs may have done what it was asked for.
    public var mayHaveHappened: Bool { self.code == .lost || self.code == .unreadable }
}
