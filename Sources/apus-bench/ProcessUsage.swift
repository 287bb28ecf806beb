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

/// The resource usage of this process, as reported by the system.
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

/// The resource usage of another process from the system's process table; 0 if the system has no such table.
enum ProcessTable {
    /// How much memory is resident.
    ///
    /// Unit: MiB.
    static func residentMebibytes(of process: Int32) -> Double { self.mebibytes("VmRSS:", of: process) }

    /// How much memory was resident at most.
    ///
    /// Unit: MiB.
    static func peakMebibytes(of process: Int32) -> Double { self.mebibytes("VmHWM:", of: process) }

    private static func mebibytes(_ name: String, of process: Int32) -> Double {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        let kibibytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap {
            Double($0)
        }
        return (kibibytes ?? 0) / 1024
    }

    /// User and system time in seconds.
    static func processorSeconds(of process: Int32) -> Double {
        let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        // The name in parentheses may contain any characters; the third field follows it.
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The voluntary and involuntary context switches of the current threads of a process.
    static func contextSwitches(of process: Int32) -> Int {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return threads.reduce(0) { sum, thread in
            let status = (try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/status", encoding: .utf8)) ?? ""
            return status.split(separator: "\n").filter { $0.contains("ctxt_switches:") }
                .compactMap { $0.split(separator: "\t").last.flatMap { Int($0) } }
                .reduce(sum, +)
        }
    }
}
