// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Logging
import Synchronization

/// Keeps every line that is logged, with all of its metadata and its error, whatever the level.
public final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    /// Keeps nothing yet.
    public init() {}

    /// What was logged so far.
    public var all: [String] { self.lines.withLock { $0 } }

    /// Logs into the lines.
    public var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(owner: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let owner: LogLines
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = self.metadata.merging(event.metadata ?? [:]) { _, new in new }
            let error = event.error.map { " \($0)" } ?? ""
            self.owner.lines.withLock { $0.append("\(event.level) \(event.message) \(metadata)\(error)") }
        }
    }
}
