// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushModel
import PushStore
import ServiceLifecycle
import Synchronization
import Work

/// Stores the open circuits for other processes, without delaying the senders.
///
/// Stores the state at the time of the write, so quick changes cost one write.
final class OpenCircuitPublisher: Sendable {
    private let changed = Mutex<Set<Circuit>>([])
    private let wake = WorkSignal()

    func note(_ line: Circuit) {
        _ = self.changed.withLock { $0.insert(line) }
        self.wake.wake()
    }

    /// Stores recorded changes until the service shuts down; retries after a poll interval if the store fails.
    func run(_ context: DeliveryService) async {
        await cancelWhenGracefulShutdown {
            for await _ in self.wake.wakes {
                let lines = self.changed.withLock { changed in
                    defer { changed = [] }
                    return changed
                }
                for line in lines where await !self.write(line, context) {
                    _ = self.changed.withLock { $0.insert(line) }
                }
                guard !self.changed.withLock(\.isEmpty) else { continue }
                guard (try? await context.clock.sleep(for: context.configuration.pollInterval)) != nil else { return }
                self.wake.wake()
            }
        }
    }

    /// Stores the current state of a circuit; returns `false` if that is to be retried.
    private func write(_ line: Circuit, _ context: DeliveryService) async -> Bool {
        do {
            if let pause = context.breakers.pause(of: line) {
                try await context.store.notePause(pause)
            } else {
                try await context.store.endPause(of: line.named)
            }
            return true
        } catch {
            context.logger.warning(
                "Failed to store open circuit",
                metadata: ["app": "\(line.app)", "credential": "\(line.credential)", "error": "\(error)"]
            )
            // A permanent error would repeat, so the write is dropped.
            return (error as? StoreError)?.isTransient != true
        }
    }
}
