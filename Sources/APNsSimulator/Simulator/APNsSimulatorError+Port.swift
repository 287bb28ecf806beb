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
