// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A wake-up signal for one consumer.
///
/// Wake-ups that arrive while the consumer is busy count as one.
package final class WorkSignal: Sendable {
    private let continuation: AsyncStream<Void>.Continuation

    /// Yields after each wake-up; ends with ``finish()``.
    package let wakes: AsyncStream<Void>

    package init() {
        (self.wakes, self.continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    package func wake() { self.continuation.yield() }

    /// Ends the stream once the consumer has taken the wake-up that waits.
    package func finish() { self.continuation.finish() }
}
