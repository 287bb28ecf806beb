// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import DequeModule
import Synchronization

/// A live feed with several readers, and a history of the latest entries for later readers.
///
/// A slow reader misses entries; publishing never waits for a reader.
final class LiveFeed<Element: Sendable>: Sendable {
    private struct State {
        var readers: [UInt64: AsyncStream<Element>.Continuation] = [:]
        var history: Deque<Element> = []
        var nextReader: UInt64 = 0
        var missed = 0
        var isFinished = false
    }

    private let state = Mutex(State())
    private let readerCount = Atomic<Int>(0)
    private let historyLimit: Int

    /// A feed that keeps the latest `historyLimit` things for readers that come later.
    init(historyLimit: Int = 0) {
        self.historyLimit = historyLimit
    }

    /// Whether there is a reader or a history, so that entries must be created.
    var hasReaders: Bool { self.historyLimit > 0 || self.readerCount.load(ordering: .relaxed) > 0 }

    /// How many things were missed by readers that were too slow.
    var missed: Int { self.state.withLock { $0.missed } }

    /// The history, oldest first.
    var history: [Element] { self.state.withLock { Array($0.history) } }

    /// Everything from now on, after the kept elements that `isReplayed` admits; the stream ends with the feed.
    ///
    /// At most `limit` elements wait for the reader, besides the replayed ones; beyond, the oldest are dropped.
    func read(
        bufferingNewest limit: Int,
        replaying isReplayed: (Element) -> Bool = { _ in false }
    ) -> AsyncStream<Element> {
        // No entry is published in between: the reader receives the history, then every later entry.
        let (stream, continuation, reader) = self.state.withLock { state in
            let replayed = state.history.filter(isReplayed)
            let (stream, continuation) = AsyncStream.makeStream(
                of: Element.self,
                bufferingPolicy: .bufferingNewest(limit + replayed.count)
            )
            for element in replayed { continuation.yield(element) }
            guard !state.isFinished else { return (stream, continuation, UInt64?.none) }
            state.nextReader += 1
            state.readers[state.nextReader] = continuation
            return (stream, continuation, state.nextReader)
        }
        guard let reader else {
            continuation.finish()
            return stream
        }
        self.readerCount.add(1, ordering: .relaxed)
        continuation.onTermination = { [weak self] _ in self?.leave(reader) }
        return stream
    }

    /// Publishes an entry to all readers, in the same order.
    func publish(_ element: Element) {
        self.state.withLock { state in
            if self.historyLimit > 0 {
                if state.history.count == self.historyLimit { state.history.removeFirst() }
                state.history.append(element)
            }
            for reader in state.readers.values {
                if case .dropped = reader.yield(element) { state.missed += 1 }
            }
        }
    }

    /// Clears the history.
    func forget() { self.state.withLock { $0.history.removeAll() } }

    /// Ends all reading, now and in the future.
    func finish() {
        let readers = self.state.withLock { state in
            state.isFinished = true
            return Array(state.readers.values)
        }
        for reader in readers { reader.finish() }
    }

    private func leave(_ reader: UInt64) {
        let left = self.state.withLock { $0.readers.removeValue(forKey: reader) != nil }
        if left { self.readerCount.subtract(1, ordering: .relaxed) }
    }
}
