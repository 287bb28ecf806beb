// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import PushModel
import PushStore
import ServiceLifecycle
import Synchronization

/// Collects the times at which API keys were used, and stores them once a minute.
///
/// A request only takes a lock and never waits for the store. So the stored time can be a minute older than the last use.
final class KeyUses: Service {
    /// The most keys that wait to be stored; until the next write, the uses of further keys are not recorded.
    static let capacity = 10_000

    private static let interval: Duration = .seconds(60)

    private let store: any APIKeyStore
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let pending = Mutex<[APIKeyID: Date]>([:])

    init(store: any APIKeyStore, clock: any Clock<Duration> = ContinuousClock(), logger: Logger) {
        self.store = store
        self.clock = clock
        self.logger = logger
    }

    /// Records that a key was used.
    func note(_ id: APIKeyID, at time: Date) {
        self.pending.withLock { pending in
            guard pending.count < Self.capacity || pending[id] != nil else { return }
            pending[id] = time
        }
    }

    /// Stores the uses once a minute, and a last time when the server stops.
    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await self.clock.sleep(for: Self.interval)
                await self.write()
            }
        }
        await self.write()
    }

    private func write() async {
        let uses = self.pending.withLock { pending in
            let uses = pending
            pending = [:]
            return uses
        }
        guard !uses.isEmpty else { return }
        do {
            try await self.store.markKeysUsed(uses)
        } catch {
            for (id, time) in uses { self.restore(id, time) }
            // A server that is stopped at once cancels the write.
            if Task.isCancelled { return }
            self.logger.warning("Failed to store the last uses of API keys", metadata: ["error": "\(error)"])
        }
    }

    /// Keeps a use for the next write, unless the key was used again.
    private func restore(_ id: APIKeyID, _ time: Date) {
        self.pending.withLock { pending in
            guard pending.count < Self.capacity, pending[id] == nil else { return }
            pending[id] = time
        }
    }
}
