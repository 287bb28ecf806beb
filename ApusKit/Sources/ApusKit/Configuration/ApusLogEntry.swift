// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

#if canImport(os)
import os
#endif

/// A log message of the kit for the app's developer.
public struct ApusLogEntry: Sendable, CustomStringConvertible {
    /// The severity of an entry.
    public enum Level: String, Sendable {
        /// Normal operation.
        case info
        /// A failure that the kit retries, or input that it ignored.
        case warning
        /// A failure that persists until the developer or operator fixes its cause.
        case error
    }

    /// The severity of the entry.
    public let level: Level
    /// The text of the entry; it contains at most a prefix of a token.
    public let message: String

    /// The level and the message on one line.
    public var description: String { "\(self.level.rawValue): \(self.message)" }

    /// Writes an entry to the unified log, or to standard error on Linux.
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

/// Input of the app that the server would reject.
public struct ApusInputError: Error, Sendable, CustomStringConvertible {
    /// The name of the input.
    public let field: String
    /// The expected value.
    public let rule: String
    /// The size of the given value, or the value itself if it is a reserved name.
    public let value: String

    /// The error on one line.
    public var description: String { "\(self.field): expected \(self.rule), got \(self.value)" }
}

extension Error {
    /// The domain and code, for the log; the description is omitted because it can contain personal data.
    var kind: String {
        let error = self as NSError
        return "\(error.domain) \(error.code)"
    }
}

extension ApusInputError {
    /// Throws unless a text has the given length in UTF-8 bytes and no control characters, as the server requires.
    static func check(_ text: String, _ field: String, _ range: ClosedRange<Int>) throws {
        let isPlain = !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        guard !range.contains(text.utf8.count) || !isPlain else { return }
        let rule = "\(range.lowerBound) to \(range.upperBound) bytes without control characters"
        throw ApusInputError(field: field, rule: rule, value: "\(text.utf8.count) bytes")
    }
}
