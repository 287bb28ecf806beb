// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// An external program that a measurement needs.
enum Tool {
    /// Where a program is, looked for in `PATH` and the places of system administrators.
    static func path(_ name: String) throws -> String {
        let search = ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":").map(String.init)
        for directory in search + ["/usr/sbin", "/sbin", "/usr/local/sbin"] {
            let candidate = "\(directory)/\(name)"
            if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
        }
        throw CommandFailure("missing_tool", "\(name) is not installed. Run dev/setup bench, which installs it.")
    }

    /// Runs a program to its end and returns the lines of its standard output.
    static func run(_ executable: String, _ arguments: [String], log: String) async throws -> [String] {
        let child = try ChildProcess(executable: executable, arguments: arguments, log: log)
        var lines: [String] = []
        while let line = await child.nextLine() { lines.append(line) }
        let status = await child.exitStatus()
        guard status == 0 else {
            throw CommandFailure("tool_failed", "\(executable) ended with status \(status):\n\(child.logEnd)")
        }
        return lines
    }
}
