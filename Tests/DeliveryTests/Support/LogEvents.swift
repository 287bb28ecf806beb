// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Logging
import Synchronization

/// Turns what is logged into events that a test can wait for.
final class LogEvents: Sendable {
    private let messages: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation
    private let history = Mutex<[String]>([])

    init() {
        (self.messages, self.continuation) = AsyncStream.makeStream()
    }

    /// Logs each message with its metadata into the events.
    var logger: Logger { Logger(label: "test.delivery") { _ in Handler(events: self) } }

    /// Every message so far, with its metadata.
    var all: [String] { self.history.withLock { $0 } }

    private func note(_ message: String) {
        self.history.withLock { $0.append(message) }
        self.continuation.yield(message)
    }

    /// Waits for the first message that contains a text.
    ///
    /// - Returns: the message with its metadata.
    @discardableResult
    func first(containing text: String) async throws -> String {
        try await self.messages.nextElement { $0.contains(text) }
    }

    private struct Handler: LogHandler {
        let events: LogEvents
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            self.events.note("\(event.message) \(event.metadata ?? [:])")
        }
    }
}
