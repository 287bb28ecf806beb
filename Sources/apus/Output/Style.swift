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

/// Emphasis for terminals; plain text everywhere else.
struct Style: Sendable {
    let isColored: Bool

    /// The style of standard output: coloured on a terminal, unless `NO_COLOR` is set or the terminal is dumb.
    static func standardOutput(environment: [String: String] = ProcessInfo.processInfo.environment) -> Style {
        let isTerminal = isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb"
        return Style(isColored: isTerminal && (environment["NO_COLOR"] ?? "").isEmpty)
    }

    func bold(_ text: String) -> String { self.wrap(text, 1) }
    func dim(_ text: String) -> String { self.wrap(text, 2) }
    func red(_ text: String) -> String { self.wrap(text, 31) }
    func green(_ text: String) -> String { self.wrap(text, 32) }
    func yellow(_ text: String) -> String { self.wrap(text, 33) }
    func cyan(_ text: String) -> String { self.wrap(text, 36) }

    private func wrap(_ text: String, _ code: Int) -> String {
        self.isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
