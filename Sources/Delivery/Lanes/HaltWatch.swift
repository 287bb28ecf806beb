// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushModel
import PushStore
import ServiceLifecycle

/// Asks the store whether batches that are being sent were halted by another process.
///
/// One question for all of them, and none while no bulk batch is being sent. What this process halts is heard of at once.
struct HaltWatch: Sendable {
    let context: DeliveryContext

    /// Watches until the service is shut down or the task is cancelled.
    func run() async {
        await cancelWhenGracefulShutdown {
            for await _ in self.context.halts.beginnings {
                while await self.isAsking() {}
            }
        }
    }

    /// Waits, and asks once.
    ///
    /// - Returns: whether there is more to ask about.
    private func isAsking() async -> Bool {
        guard (try? await self.context.clock.sleep(for: self.context.configuration.haltInterval)) != nil else {
            return false
        }
        let batches = self.context.halts.bulkBatches
        guard !batches.isEmpty else { return false }
        do {
            self.context.halts.halt(try await self.context.store.halted(among: batches))
        } catch {
            // Asked again after the next wait.
            self.context.logger.warning("Nobody knows which batches were halted", metadata: ["error": "\(error)"])
        }
        return true
    }
}
