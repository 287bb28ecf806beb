// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The signals that this program sends.
enum Signals {
    /// Ends a process at once; it gets no chance to tidy up.
    static func kill(_ process: Int32) { Self.send(SIGKILL, to: process) }

    /// Asks a process to stop.
    static func terminate(_ process: Int32) { Self.send(SIGTERM, to: process) }

    /// Makes a process stand still, as a suspended machine does, until ``goOn(_:)``.
    static func standStill(_ process: Int32) { Self.send(SIGSTOP, to: process) }

    /// Lets a process go on that stands still.
    static func goOn(_ process: Int32) { Self.send(SIGCONT, to: process) }

    private static func send(_ signal: Int32, to process: Int32) {
        #if canImport(Glibc)
        _ = Glibc.kill(process, signal)
        #elseif canImport(Musl)
        _ = Musl.kill(process, signal)
        #elseif canImport(Darwin)
        _ = Darwin.kill(process, signal)
        #endif
    }
}
