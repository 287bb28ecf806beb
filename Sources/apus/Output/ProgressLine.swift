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

/// A line on a terminal that is written over and over again.
struct ProgressLine: Sendable {
    /// Whether it is on a terminal that can do so.
    let isTerminal: Bool

    private let handle: FileHandle

    /// The line of standard output.
    static func standardOutput(environment: [String: String] = ProcessInfo.processInfo.environment) -> ProgressLine {
        ProgressLine(
            isTerminal: isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb",
            handle: .standardOutput
        )
    }

    /// The line of standard error, for commands whose standard output is their result.
    static func standardError(environment: [String: String] = ProcessInfo.processInfo.environment) -> ProgressLine {
        ProgressLine(isTerminal: isatty(STDERR_FILENO) == 1 && environment["TERM"] != "dumb", handle: .standardError)
    }

    /// Writes over what the line shows.
    func show(_ text: String) {
        self.handle.write(Data("\r\u{1B}[K\(text)".utf8))
    }

    /// Writes what stays, over what the line shows.
    func end(_ text: String) {
        self.clear()
        self.handle.write(Data("\(text)\n".utf8))
    }

    /// Writes over what the line shows with nothing.
    func clear() {
        if self.isTerminal { self.handle.write(Data("\r\u{1B}[K".utf8)) }
    }
}
