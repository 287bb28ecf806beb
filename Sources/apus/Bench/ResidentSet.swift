// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The memory of another process, as the system's process table has it.
enum ResidentSet {
    /// How much memory is resident.
    ///
    /// Unit: MiB. 0 where the system has no such table.
    static func mebibytes(of process: Int32) -> Double {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        let kibibytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap {
            Double($0)
        }
        return (kibibytes ?? 0) / 1024
    }
}

/// How many files and sockets this process and those that it starts may have open.
enum OpenFiles {
    /// Raises the limit as far as the system allows.
    ///
    /// Returns it.
    static func raiseLimit() -> Int {
        var limit = rlimit()
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        getrlimit(resource, &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
        getrlimit(resource, &limit)
        return Int(clamping: limit.rlim_cur)
    }
}
