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

/// Lines on a terminal that are written over and over again.
final class TerminalView {
    /// Whether it is on a terminal that can do so.
    let isTerminal: Bool

    private var shown = 0

    private init(isTerminal: Bool) { self.isTerminal = isTerminal }

    static func standardOutput(environment: [String: String] = ProcessInfo.processInfo.environment) -> TerminalView {
        TerminalView(isTerminal: StandardStream.output.isTerminal && environment["TERM"] != "dumb")
    }

    /// How many lines the terminal has; 24 where it does not say.
    var height: Int {
        var size = winsize()
        guard ioctl(StandardStream.output.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
        return Int(size.ws_row)
    }

    /// Writes lines over what is shown, as many as the terminal has; they are cut at its edge.
    func show(_ lines: [String]) {
        let lines = lines.prefix(max(1, self.height - 1))
        // Nothing is left behind when the process ends in between: it is one write.
        let back = self.shown > 0 ? "\u{1B}[\(self.shown)F" : ""
        let text = lines.map { "\($0)\u{1B}[K\n" }.joined()
        Console.out(bytes: Array("\(back)\u{1B}[?7l\(text)\u{1B}[J\u{1B}[?7h".utf8))
        self.shown = lines.count
    }

    /// Lets what is shown stand; what comes next is written below it.
    func forget() { self.shown = 0 }
}

extension String {
    /// The text without what a terminal would carry out: control characters stand as a replacement character.
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
