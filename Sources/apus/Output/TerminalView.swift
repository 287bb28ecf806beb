// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Lines on a terminal that are overwritten again and again.
final class TerminalView {
    /// Whether the output is a terminal that supports this.
    let isTerminal: Bool

    private var shown = 0

    private init(isTerminal: Bool) { self.isTerminal = isTerminal }

    static func standardOutput(environment: [String: String] = ProcessInfo.processInfo.environment) -> TerminalView {
        TerminalView(isTerminal: StandardStream.output.isTerminal && environment["TERM"] != "dumb")
    }

    /// The number of lines of the terminal; 24 if unknown.
    var height: Int {
        var size = winsize()
        guard ioctl(StandardStream.output.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
        return Int(size.ws_row)
    }

    /// Overwrites the shown lines, limited to the height and width of the terminal.
    func show(_ lines: [String]) {
        let lines = lines.prefix(max(1, self.height - 1))
        // A single write, so that an interruption leaves no partial output.
        let back = self.shown > 0 ? "\u{1B}[\(self.shown)F" : ""
        let text = lines.map { "\($0)\u{1B}[K\n" }.joined()
        Console.out(bytes: Array("\(back)\u{1B}[?7l\(text)\u{1B}[J\u{1B}[?7h".utf8))
        self.shown = lines.count
    }

    /// Keeps the shown lines; later output is written below them.
    func forget() { self.shown = 0 }
}

extension String {
    /// The text with control characters replaced, so that a terminal does not execute them.
    var printable: String {
        guard self.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return self }
        return String(
            String.UnicodeScalarView(
                self.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
            )
        )
    }
}

/// Emphasis for terminals; plain text everywhere else.
struct TerminalStyle: Sendable {
    let isColored: Bool

    /// The style of standard output: colored on a terminal, unless `NO_COLOR` is set or the terminal is dumb.
    static func standardOutput(environment: [String: String] = ProcessInfo.processInfo.environment) -> TerminalStyle {
        let isTerminal = isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb"
        return TerminalStyle(isColored: isTerminal && (environment["NO_COLOR"] ?? "").isEmpty)
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
