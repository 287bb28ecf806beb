// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// The batches that are sent directly: those in flight are counted, and those with results wait for one consumer.
final class DirectSends: Sendable {
    private struct State {
        var inFlight = 0
        var complete: [DirectSend.Completion] = []
        var isClosed = false
        var consumer: CheckedContinuation<Void, Never>?

        var isReady: Bool { !self.complete.isEmpty || self.isClosed && self.inFlight == 0 }
    }

    private let state = Mutex(State())

    /// Begins a send, which ``complete(_:)`` ends; returns `false` after shutdown.
    func begin() -> Bool {
        self.state.withLock { state in
            if !state.isClosed { state.inFlight += 1 }
            return !state.isClosed
        }
    }

    func complete(_ send: DirectSend.Completion) {
        self.update { state in
            state.inFlight -= 1
            state.complete.append(send)
        }
    }

    /// Starts no further sends.
    func close() { self.update { $0.isClosed = true } }

    /// Waits for results, and returns all that there are; `nil` if this is closed and nothing is in flight.
    ///
    /// Also a cancelled task waits for those in flight, because these may have reached APNs.
    func next() async -> [DirectSend.Completion]? {
        await withCheckedContinuation { continuation in
            self.update { $0.consumer = continuation }
        }
        return self.state.withLock { state in
            defer { state.complete = [] }
            return state.complete.isEmpty ? nil : state.complete
        }
    }

    private func update(_ change: (inout State) -> Void) {
        let consumer = self.state.withLock { state in
            change(&state)
            return state.isReady ? state.consumer.take() : nil
        }
        // It processes all queued sends when it runs.
        consumer?.resume()
    }
}
