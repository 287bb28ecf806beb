// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Why the simulator could not be started, or could not do what it was asked for.
public struct APNsSimulatorError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it was; what callers switch on.
    public enum Code: String, Sendable, Hashable {
        /// A port is in use or may not be bound.
        case portUnavailable
        /// A file or the directory cannot be read, understood or written.
        case directory
        /// TLS could not be set up.
        case tls
        /// The simulator is not running any more.
        case stopped
        /// There is no device with this identifier.
        case unknownDevice
        /// The device has no such app.
        case unknownApp
        /// The device token stands for another app or device.
        case tokenTaken
        /// A document is no snapshot that can be restored.
        case invalidSnapshot
        /// There is no Live Activity with this identifier.
        case unknownActivity
        /// A broadcast channel cannot be created.
        case channelRefused
        /// The key is no P-256 key.
        case invalidKey
    }

    /// What kind of failure it was.
    public var code: Code
    /// What happened, with the values involved, and how to fix it.
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

extension APNsSimulatorError {
    /// A port could not be bound: says why, and what to do about it.
    static func portUnavailable(_ port: Int, host: String, option: String, cause: any Error) -> APNsSimulatorError {
        let why =
            switch (cause as? IOError)?.errnoCode {
            case EADDRINUSE: "is in use; stop the process that has it"
            case EACCES: "may not be bound by this user; take one above 1023"
            case EADDRNOTAVAIL: "cannot be bound, since this machine does not have that address; change the host"
            default: "cannot be bound; take another"
            }
        return APNsSimulatorError(
            code: .portUnavailable,
            message: "port \(port) of \(host) \(why), or let \(option) 0 pick a free one",
            cause: cause
        )
    }
}
