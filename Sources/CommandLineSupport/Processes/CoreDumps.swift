// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Core files of crashes, which contain the master key, opened credentials and device tokens.
///
/// `PR_SET_DUMPABLE` is not used: without it, `swift-backtrace` cannot read the images of a crashed process, and their
/// addresses are needed to look up the symbols (docs/crashes.md).
package enum CoreDumps {
    /// Lets no crash of this process, or of a process that it starts, write memory to a core file.
    ///
    /// - Returns: whether the system allowed it.
    @discardableResult
    package static func disable() -> Bool {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        let isLimited = setrlimit(self.resource, &none) == 0
        #if os(Linux)
        // The limit does not apply where a program receives the dumps (`core_pattern` with a pipe). Such a dump then has
        // no memory.
        let file = open("/proc/self/coredump_filter", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { _ = close(file) }
        return write(file, "0", 1) == 1 && isLimited
        #else
        return isLimited
        #endif
    }

    #if canImport(Glibc)
    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_CORE.rawValue) }
    #else
    private static var resource: Int32 { RLIMIT_CORE }
    #endif
}
