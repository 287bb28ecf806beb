// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Logging
import PushModel
import PushStore
import ServiceLifecycle
import Synchronization

/// Collects when and from where API keys were used, and stores it once a minute.
///
/// A request only takes a lock and never waits for the store. So the stored time can be a minute older than the last use.
/// The stored address is that of the first request of the minute. A key that is used and expires soon is logged once a day.
final class KeyUses: Service {
    /// The most keys that wait to be stored; until the next write, the uses of further keys are not recorded.
    static let capacity = 10_000

    private static let interval: Duration = .seconds(60)

    /// The number of seconds after which the same key is logged again.
    fileprivate static let warningInterval: TimeInterval = 24 * 3600

    fileprivate struct State {
        var pending: [APIKeyID: APIKeyUse] = [:]

        /// The keys that expire soon and were used, until they are logged.
        var expiring: [APIKeyID: APIKey] = [:]

        /// When each of the keys that expire soon was logged.
        var warnedAt: [APIKeyID: Date] = [:]
    }

    private let store: any APIKeyStore
    private let clock: any Clock<Duration>
    private let logger: Logger
    private let state = Mutex(State())

    init(store: any APIKeyStore, clock: any Clock<Duration> = ContinuousClock(), logger: Logger) {
        self.store = store
        self.clock = clock
        self.logger = logger
    }

    /// Records that a key was used.
    ///
    /// `client` returns the address of the client.
    func note(_ key: APIKey, at time: Date, from client: () -> NetworkAddress?) {
        self.state.withLock { state in
            if state.pending[key.id]?.time == nil {
                guard state.pending.count < Self.capacity else { return }
                state.pending[key.id] = APIKeyUse(time: time, address: client()?.unmapped.text)
                if key.expiryToWarn(now: time) != nil { state.expiring[key.id] = key }
            } else {
                state.pending[key.id]?.time = time
            }
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
        let (uses, expiring) = self.state.withLock { state in
            let (uses, expiring) = (state.pending, state.takeExpiring())
            state.pending = [:]
            return (uses, expiring)
        }
        for key in expiring {
            self.logger.warning(
                "An API key in use expires soon; rotate it",
                metadata: [
                    "key.id": "\(key.id)", "key.name": "\(key.name)",
                    "key.expires": "\(key.expiresAt.map(Timestamp.text) ?? "never")",
                ]
            )
        }
        guard !uses.isEmpty else { return }
        do {
            try await self.store.markKeysUsed(uses)
        } catch {
            for (id, use) in uses { self.restore(id, use) }
            // A server that is stopped at once cancels the write.
            if Task.isCancelled { return }
            self.logger.warning("Failed to store the last uses of API keys", metadata: ["error": "\(error)"])
        }
    }

    /// Keeps a use for the next write, unless the key was used again.
    private func restore(_ id: APIKeyID, _ use: APIKeyUse) {
        self.state.withLock { state in
            guard state.pending.count < Self.capacity, state.pending[id] == nil else { return }
            state.pending[id] = use
        }
    }
}

extension KeyUses.State {
    /// The keys to log now, in the order of their IDs.
    fileprivate mutating func takeExpiring() -> [APIKey] {
        var keys: [APIKey] = []
        for key in self.expiring.values {
            let time = self.pending[key.id]?.time ?? .distantPast
            if let last = self.warnedAt[key.id], time.timeIntervalSince(last) < KeyUses.warningInterval { continue }
            if self.warnedAt.count >= KeyUses.capacity { self.warnedAt = [:] }
            self.warnedAt[key.id] = time
            keys.append(key)
        }
        self.expiring = [:]
        return keys.sorted { $0.id < $1.id }
    }
}

extension HTTPField.Name {
    /// When the key of the request expires, in responses of its last 14 days.
    static let keyExpiry: HTTPField.Name = {
        // Cannot trap: the text is a constant and a valid field name.
        guard let name = HTTPField.Name("Apus-Key-Expires") else { preconditionFailure("a valid field name") }
        return name
    }()
}
