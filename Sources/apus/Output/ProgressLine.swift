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
    /// Whether standard output is a terminal that can do so.
    let isTerminal: Bool

    /// The line of standard output.
    static func standardOutput(environment: [String: String] = ProcessInfo.processInfo.environment) -> ProgressLine {
        ProgressLine(isTerminal: isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb")
    }

    /// Writes over what the line shows.
    func show(_ text: String) {
        FileHandle.standardOutput.write(Data("\r\u{1B}[K\(text)".utf8))
    }

    /// Writes what stays, over what the line shows.
    func end(_ text: String) {
        if self.isTerminal { FileHandle.standardOutput.write(Data("\r\u{1B}[K".utf8)) }
        Console.out(text)
    }
}
