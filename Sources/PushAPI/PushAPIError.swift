// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Why the API could not be served.
public struct PushAPIError: Error, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: String, Hashable, Sendable {
        /// Another process listens there.
        case addressInUse

        /// This machine has no such address, or the user may not listen there.
        case addressUnavailable
    }

    /// The kind of failure, for callers that switch on it.
    public let code: Code

    /// What happened and how to fix it.
    public let message: String

    /// The system's own error.
    public let cause: any Error

    init(_ error: IOError, configuration: PushAPIConfiguration) {
        let place = "\(configuration.host):\(configuration.port)"
        self.cause = error
        if error.errnoCode == EADDRINUSE {
            self.code = .addressInUse
            self.message = "Another process listens on \(place). Stop it, or choose another port; 0 takes a free one."
        } else {
            self.code = .addressUnavailable
            self.message =
                "Cannot listen on \(place) (\(error)). Choose an address of this machine and a port from 1024 up."
        }
    }

    /// The host cannot be turned into an address.
    init(_ error: SocketAddressError.UnknownHost, configuration: PushAPIConfiguration) {
        self.code = .addressUnavailable
        self.message =
            "Cannot listen on '\(configuration.host)': no such host is known. Choose an address of this machine."
        self.cause = error
    }

    /// The code and the message.
    public var description: String { "\(self.code.rawValue): \(self.message)" }
}
