// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging

/// Turns what is logged into events that a test can wait for.
final class LogEvents: Sendable {
    private let messages: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() {
        (self.messages, self.continuation) = AsyncStream.makeStream()
    }

    /// Logs each message with its metadata into the events.
    var logger: Logger { Logger(label: "test.delivery") { _ in Handler(continuation: self.continuation) } }

    /// Waits for the first message that contains a text.
    ///
    /// - Returns: the message with its metadata.
    @discardableResult
    func first(containing text: String) async -> String {
        for await message in self.messages where message.contains(text) { return message }
        return ""
    }

    private struct Handler: LogHandler {
        let continuation: AsyncStream<String>.Continuation
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            self.continuation.yield("\(event.message) \(event.metadata ?? [:])")
        }
    }
}
