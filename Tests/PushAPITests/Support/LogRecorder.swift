// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import Synchronization

/// Keeps what is logged, for tests to look at.
final class LogRecorder: Sendable {
    struct Entry: Sendable {
        var level: Logger.Level
        var message: String
        var metadata: Logger.Metadata
        var error: (any Error)?
    }

    private let recorded = Mutex<[Entry]>([])

    var entries: [Entry] { self.recorded.withLock { $0 } }

    var logger: Logger {
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
