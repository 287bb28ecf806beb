// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The one signal that this program sends.
enum Signals {
    /// Ends a process at once; it gets no chance to tidy up.
    static func kill(_ process: Int32) {
        #if canImport(Glibc)
        _ = Glibc.kill(process, SIGKILL)
        #elseif canImport(Musl)
        _ = Musl.kill(process, SIGKILL)
        #elseif canImport(Darwin)
        _ = Darwin.kill(process, SIGKILL)
        #endif
    }
}
