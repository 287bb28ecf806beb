// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// A line on a terminal that is written over and over again.
package struct ProgressLine: Sendable {
    /// Whether it is on a terminal that can do so.
    package let isTerminal: Bool

    private let stream: StandardStream

    package static func standardOutput(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> ProgressLine {
        ProgressLine(of: .output, environment)
    }

    /// The line of standard error, for commands whose standard output is their result.
    package static func standardError(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> ProgressLine {
        ProgressLine(of: .errors, environment)
    }

    private init(of stream: StandardStream, _ environment: [String: String]) {
        self.isTerminal = stream.isTerminal && environment["TERM"] != "dumb"
        self.stream = stream
    }

    /// Replaces the shown text.
    package func show(_ text: String) {
        self.write("\r\u{1B}[K\(text)")
    }

    /// Replaces the shown text by a line that stays.
    package func end(_ text: String) {
        self.clear()
        self.write("\(text)\n")
    }

    /// Clears the line.
    package func clear() {
        if self.isTerminal { self.write("\r\u{1B}[K") }
    }

    /// Writes text; ignores failures if it is not part of the result.
    private func write(_ text: String) {
        if self.stream.isResult { Console.out(bytes: Array(text.utf8)) } else { try? self.stream.write(text) }
    }
}
