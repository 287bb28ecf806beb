// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

#if canImport(os)
import os
#endif

/// Something that the kit tells its developer.
public struct ApusLogEntry: Sendable, CustomStringConvertible {
    /// How much it matters.
    public enum Level: String, Sendable {
        /// As it should be.
        case info
        /// Something did not work and is tried again, or was left out.
        case warning
        /// Something will not work before somebody does something about it.
        case error
    }

    /// How much it matters.
    public let level: Level
    /// What happened, with as much of a token as tells it from others.
    public let message: String

    /// The entry as one line.
    public var description: String { "\(self.level.rawValue): \(self.message)" }

    /// Writes an entry to the unified log; to standard error where there is none.
    public static let writeToSystemLog: @Sendable (ApusLogEntry) -> Void = { entry in
        #if canImport(os)
        let log = Logger(subsystem: "apus", category: "push")
        switch entry.level {
        case .info: log.info("\(entry.message, privacy: .public)")
        case .warning: log.warning("\(entry.message, privacy: .public)")
        case .error: log.error("\(entry.message, privacy: .public)")
        }
        #else
        // Without a reader of standard error the entry is lost, and nothing else.
        try? FileHandle.standardError.write(contentsOf: Data("apus \(entry)\n".utf8))
        #endif
    }
}

/// An input of the app's that breaks a rule of the server's.
public struct ApusInputError: Error, Sendable, CustomStringConvertible {
    /// Which input.
    public let field: String
    /// The rule.
    public let rule: String
    /// What was given, by its size.
    public let value: String

    /// The error in one line.
    public var description: String { "\(self.field): expected \(self.rule), got \(self.value)" }
}

extension Error {
    /// Which error it is, for the log; never what it says, which may be of the person.
    var kind: String {
        let error = self as NSError
        return "\(error.domain) \(error.code)"
    }
}

extension ApusInputError {
    /// Holds a text to a length in bytes of UTF-8, and to the server's rule that it has no control characters.
    static func check(_ text: String, _ field: String, _ range: ClosedRange<Int>) throws {
        let isPlain = !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard !range.contains(text.utf8.count) || !isPlain else { return }
        let rule = "\(range.lowerBound) to \(range.upperBound) bytes without control characters"
        throw ApusInputError(field: field, rule: rule, value: "\(text.utf8.count) bytes")
    }
}
