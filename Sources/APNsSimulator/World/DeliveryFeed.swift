// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// The arrivals at all devices, live, for whoever reads along.
///
/// A slow reader misses some; nobody waits for it.
final class DeliveryFeed: Sendable {
    private struct State {
        var readers: [UInt64: AsyncStream<Delivery>.Continuation] = [:]
        var nextReader: UInt64 = 0
        var missed = 0
        var isFinished = false
    }

    private let state = Mutex(State())
    private let readerCount = Atomic<Int>(0)

    /// Whether anybody reads, so that a delivery is worth describing.
    var hasReaders: Bool { self.readerCount.load(ordering: .relaxed) > 0 }

    /// How many deliveries were missed by readers that were too slow.
    var missed: Int { self.state.withLock { $0.missed } }

    /// Every delivery from now on.
    ///
    /// - Parameter limit: how many may wait for the reader; beyond, the oldest are dropped.
    /// - Returns: a stream that ends with the feed.
    func read(bufferingNewest limit: Int) -> AsyncStream<Delivery> {
        let (stream, continuation) = AsyncStream.makeStream(of: Delivery.self, bufferingPolicy: .bufferingNewest(limit))
        let reader: UInt64? = self.state.withLock { state in
            guard !state.isFinished else { return nil }
            state.nextReader += 1
            state.readers[state.nextReader] = continuation
            return state.nextReader
        }
        guard let reader else {
            continuation.finish()
            return stream
        }
        self.readerCount.add(1, ordering: .relaxed)
        continuation.onTermination = { [weak self] _ in self?.leave(reader) }
        return stream
    }

    /// Tells every reader.
    func publish(_ delivery: Delivery) {
        let readers = self.state.withLock { Array($0.readers.values) }
        var missed = 0
        for reader in readers {
            if case .dropped = reader.yield(delivery) { missed += 1 }
        }
        if missed > 0 { self.state.withLock { $0.missed += missed } }
    }

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
