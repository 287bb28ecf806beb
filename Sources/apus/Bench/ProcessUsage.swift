// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What this process has used so far, by the system's own account.
struct ProcessUsage {
    /// User and system time in seconds.
    let cpuSeconds: Double
    /// The largest resident set there was, in MiB.
    let peakResidentMiB: Double

    static func current() -> ProcessUsage {
        var usage = rusage()
        #if canImport(Glibc)
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let bytesPerUnit = 1024.0
        #else
        getrusage(RUSAGE_SELF, &usage)
        let bytesPerUnit = 1.0
        #endif
        let times = [usage.ru_utime, usage.ru_stime]
        return ProcessUsage(
            cpuSeconds: times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 },
            peakResidentMiB: Double(usage.ru_maxrss) * bytesPerUnit / 1_048_576
        )
    }
}
