// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Logging
import Synchronization

/// Records every log entry, whatever its level.
public final class LogRecorder: Sendable {
    /// What was logged in one call, with the metadata of its logger.
    public struct Entry: Sendable {
        public let level: Logger.Level
        public let message: String
        public let metadata: Logger.Metadata
        public let error: (any Error)?
    }

    private let recorded = Mutex<[Entry]>([])

    public init() {}

    /// The entries so far, in order.
    public var entries: [Entry] { self.recorded.withLock { $0 } }

    /// The entries as text: level, message, metadata and error.
    public var lines: [String] {
        self.entries.map { entry in
            "\(entry.level) \(entry.message) \(entry.metadata)" + (entry.error.map { " \($0)" } ?? "")
        }
    }

    /// A logger that logs to this recorder only.
    public var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(recorder: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = self.metadata.merging(event.metadata ?? [:]) { _, new in new }
            let entry = Entry(
                level: event.level,
                message: "\(event.message)",
                metadata: metadata,
                error: event.error
            )
            self.recorder.recorded.withLock { $0.append(entry) }
        }
    }
}
