// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The machine's cores, and how a process is bound to one of them.
enum Cores {
    static let count = ProcessInfo.processInfo.activeProcessorCount

    /// The command line that runs a tool on one core only, where the machine has several and `taskset`.
    static func pinned(_ executable: String, _ arguments: [String], to core: Int) -> (String, [String]) {
        guard Self.count > 1, FileManager.default.isExecutableFile(atPath: Self.taskset) else {
            return (executable, arguments)
        }
        return (Self.taskset, ["-c", "\(core)", executable] + arguments)
    }

    private static let taskset = "/usr/bin/taskset"
}
