// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// How many files and sockets this process and those that it starts may have open.
package enum FileDescriptorLimit {
    /// Returns the maximum number of connections to the API, in addition to the other open files of the process.
    ///
    /// Each processor has a thread for connections, and each thread has open files.
    ///
    /// - Returns: the files left for the API: half of a small limit; all but some hundreds of a larger one. At least 1.
    package static func connections(within limit: Int, processors: Int) -> Int {
        max(1, limit - min(limit / 2, 256 + 4 * processors))
    }

    /// Raises the limit as far as the system allows.
    ///
    /// Returns it.
    @discardableResult
    package static func raiseLimit() -> Int {
        var limit = rlimit()
        getrlimit(self.resource, &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(self.resource, &limit)
        getrlimit(self.resource, &limit)
        return Int(clamping: limit.rlim_cur)
    }

    /// The limit that ``raiseLimit()`` can reach.
    package static var highestLimit: Int {
        var limit = rlimit()
        getrlimit(self.resource, &limit)
        return Int(clamping: limit.rlim_max)
    }

    #if canImport(Glibc)
    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
    private static var resource: Int32 { RLIMIT_NOFILE }
    #endif
}
