// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Signals to other processes.
enum Signals {
    /// Ends a process at once; it gets no chance to tidy up.
    static func kill(_ process: Int32) { _ = self.send(process, SIGKILL) }

    /// Asks a process to stop, as Ctrl-C on its terminal does.
    static func interrupt(_ process: Int32) { _ = self.send(process, SIGINT) }

    /// Whether there is a process of that number.
    static func isRunning(_ process: Int32) -> Bool { self.send(process, 0) }

    private static func send(_ process: Int32, _ signal: Int32) -> Bool {
        #if canImport(Glibc)
        Glibc.kill(process, signal) == 0
        #elseif canImport(Musl)
        Musl.kill(process, signal) == 0
        #elseif canImport(Darwin)
        Darwin.kill(process, signal) == 0
        #endif
    }
}
