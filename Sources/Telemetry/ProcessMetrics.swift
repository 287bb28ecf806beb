// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The metrics of every process, with the names of the Prometheus client libraries.
///
/// Memory and descriptors are available only on Linux, where the system has them in `/proc`.
package enum ProcessMetrics {
    package static let descriptions: [MetricDescription] = [
        MetricDescription("process_cpu_seconds_total", .counter, "CPU time spent, in user and system mode."),
        MetricDescription("process_resident_memory_bytes", .gauge, "Memory that is resident."),
        MetricDescription("process_virtual_memory_bytes", .gauge, "Memory that is mapped."),
        MetricDescription("process_open_fds", .gauge, "Open file descriptors."),
        MetricDescription("process_max_fds", .gauge, "The most file descriptors that may be open."),
        MetricDescription("process_start_time_seconds", .gauge, "When the process started, in seconds since 1970."),
    ]

    package static func add(to registry: MetricsRegistry, startedAt: Date) {
        let start = startedAt.timeIntervalSince1970
        registry.addCollector { registry in
            registry.set("process_start_time_seconds", to: start)
            if let seconds = self.processorSeconds {
                registry.set("process_cpu_seconds_total", as: .counter, to: seconds)
            }
            var limit = rlimit()
            if getrlimit(self.descriptorLimit, &limit) == 0 {
                registry.set("process_max_fds", to: Double(limit.rlim_cur))
            }
            #if os(Linux)
            if let pages = self.memoryPages {
                let page = Double(sysconf(Int32(_SC_PAGESIZE)))
                registry.set("process_virtual_memory_bytes", to: pages.mapped * page)
                registry.set("process_resident_memory_bytes", to: pages.resident * page)
            }
            if let open = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
                // Looking takes one itself.
                registry.set("process_open_fds", to: Double(max(0, open - 1)))
            }
            #endif
        }
    }

    #if os(Linux) && canImport(Glibc)
    private static let descriptorLimit = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    private static let ownUsage = __rusage_who_t(RUSAGE_SELF.rawValue)
    #else
    private static let descriptorLimit = RLIMIT_NOFILE
    private static let ownUsage = RUSAGE_SELF
    #endif

    private static var processorSeconds: Double? {
        var usage = rusage()
        guard getrusage(self.ownUsage, &usage) == 0 else { return nil }
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1_000_000 }
    }

    #if os(Linux)
    private static var memoryPages: (mapped: Double, resident: Double)? {
        guard let text = try? String(contentsOf: URL(filePath: "/proc/self/statm"), encoding: .utf8) else { return nil }
        let numbers = text.split(separator: " ").prefix(2).compactMap { Double($0) }
        return numbers.count == 2 ? (numbers[0], numbers[1]) : nil
    }
    #endif
}
