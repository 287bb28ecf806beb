// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import PushModel
import PushStore
import ServiceLifecycle
import Synchronization

/// Recognizes IDs of existing API keys without a look-up.
///
/// An ID has a code of the master key, or it is in a list that this reads when the server starts. The list has the keys
/// whose IDs have no code, or that of a former master key. So clients that invent IDs cause few look-ups, and do not
/// slow down clients with a valid key, also after a restart.
final class KeyIDRecognizer: Service {
    /// The most IDs in the list; further keys are looked up within the limits for unknown keys.
    static let capacity = 100_000

    /// The time between two looks at the master key, which another process may have rotated.
    private static let refreshInterval: Duration = .seconds(1)

    private struct State {
        var codes: APIKeyIDCodes?
        var refreshedAt: ContinuousClock.Instant
        var listed: Set<APIKeyID> = []
    }

    private let store: any APIKeyStore
    private let masterKey: MasterKey?
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let state: Mutex<State>

    init(
        store: any APIKeyStore,
        masterKey: MasterKey?,
        clock: any Clock<Duration> = ContinuousClock(),
        logger: Logger
    ) {
        self.store = store
        self.masterKey = masterKey
        self.clock = clock
        self.logger = logger
        self.state = Mutex(State(codes: masterKey.map { APIKeyIDCodes($0) }, refreshedAt: .now))
    }

    func recognizes(_ id: APIKeyID, now: ContinuousClock.Instant = .now) -> Bool {
        let (codes, isListed, isStale) = self.state.withLock { state in
            let isStale = now - state.refreshedAt >= Self.refreshInterval
            return (state.codes, state.listed.contains(id), isStale)
        }
        if isListed || codes?.verify(id) == true { return true }
        guard isStale, let masterKey else { return false }
        self.state.withLock { $0.refreshedAt = now }
        let fresh = APIKeyIDCodes(masterKey)
        self.state.withLock { $0.codes = fresh }
        return fresh.verify(id)
    }

    /// Reads the list, and tries again while the store fails.
    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while !(await self.readList()) { try await self.clock.sleep(for: Self.refreshInterval) }
            try await gracefulShutdown()
        }
    }

    /// Reads the IDs of all keys.
    ///
    /// - Returns: whether the store has returned them.
    private func readList() async -> Bool {
        do {
            var cursor: APIKeyID?
            var count = 0
            repeat {
                let page = try await self.store.keys(after: cursor, limit: 1000)
                for key in page.elements where !self.recognizes(key.id) && count < Self.capacity {
                    _ = self.state.withLock { $0.listed.insert(key.id) }
                    count += 1
                }
                cursor = page.next
            } while cursor != nil && count < Self.capacity
            return true
        } catch {
            self.logger.warning("Failed to read the IDs of API keys; retrying", metadata: ["error": "\(error)"])
            return false
        }
    }
}
