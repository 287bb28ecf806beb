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

/// What this process has used so far, by the system's own account.
enum ProcessUsage {
    /// User and system time.
    static var cpuSeconds: Double {
        var usage = rusage()
        #if canImport(Glibc)
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
        getrusage(RUSAGE_SELF, &usage)
        #endif
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }

    /// The largest resident set, by the process table: `getrusage` counts what the parent had before, too.
    ///
    /// Unit: MiB; 0 where there is no such table.
    static var peakMiB: Double {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        let kibibytes = line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Double($0) }
        return (kibibytes ?? 0) / 1024
    }
}
