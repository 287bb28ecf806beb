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

/// An error of the start of the simulator, or of one of its methods.
public struct APNsSimulatorError: Error, Sendable, CustomStringConvertible {
    /// The codes of errors, for `switch` statements of callers.
    public enum Code: String, Sendable, Hashable {
        /// A port is in use or may not be bound.
        case portUnavailable
        /// A file or the directory cannot be read, understood or written.
        case directory
        /// TLS could not be set up.
        case tls
        /// The simulator has stopped.
        case stopped
        /// There is no device with this identifier.
        case unknownDevice
        /// The device has no such app.
        case unknownApp
        /// The device token belongs to another app or device.
        case tokenTaken
        /// The activation of the device was revoked.
        case notActivated
        /// A document is no snapshot that can be restored.
        case invalidSnapshot
        /// There is no Live Activity with this identifier.
        case unknownActivity
        /// A broadcast channel cannot be created.
        case channelRefused
        /// The key is no P-256 key.
        case invalidKey
    }

    /// The code.
    public var code: Code
    /// The cause, with the values involved, and the fix.
    public var message: String
    /// The lower-level error, kept whole.
    public var cause: (any Error)?

    /// Creates an error.
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
    /// The activation of a device was revoked, and it is to connect or to get a token.
    static func notActivated(_ id: VirtualDeviceID) -> APNsSimulatorError {
        let message = "the activation of device \(id) was revoked; activate it again, so that it can connect"
        return APNsSimulatorError(code: .notActivated, message: message)
    }

    /// A port could not be bound; the message has the cause and the fix.
    static func portUnavailable(_ port: Int, host: String, option: String, cause: any Error) -> APNsSimulatorError {
        let why =
            switch (cause as? IOError)?.errnoCode {
            case EADDRINUSE: "is in use; stop the process that uses it"
            case EACCES: "requires privileges to bind; use one above 1023"
            case EADDRNOTAVAIL: "cannot be bound, because this machine does not have that address; change the host"
            default: "cannot be bound; use another one"
            }
        return APNsSimulatorError(
            code: .portUnavailable,
            message: "port \(port) of \(host) \(why), or let \(option) 0 pick a free one",
            cause: cause
        )
    }
}
