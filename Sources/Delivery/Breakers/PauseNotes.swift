// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import PushModel
import PushStore
import ServiceLifecycle
import Synchronization
import Work

/// Writes down for other processes which lines are paused, behind those who send.
///
/// What is written is how a line stands by then: changes that follow one another fast cost one write.
final class PauseNotes: Sendable {
    private let changed = Mutex<Set<Line>>([])
    private let wake = WorkSignal()

    /// A line stands otherwise than before.
    func note(_ line: Line) {
        _ = self.changed.withLock { $0.insert(line) }
        self.wake.wake()
    }

    /// Writes down what is noted until the service is shut down; what the store cannot take is tried again after a while.
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

    /// Writes down how a line stands now.
    ///
    /// - Returns: whether the store has taken it.
    private func write(_ line: Line, _ context: DeliveryService) async -> Bool {
        do {
            if let pause = context.breakers.pause(of: line) {
                try await context.store.notePause(pause)
            } else {
                try await context.store.endPause(of: line.named)
            }
            return true
        } catch {
            context.logger.warning(
                "What sending waits for could not be stored",
                metadata: ["app": "\(line.app)", "credential": "\(line.credential)", "error": "\(error)"]
            )
            // A store that refuses it for good would refuse it again and again.
            return (error as? StoreError)?.isTransient != true
        }
    }
}
