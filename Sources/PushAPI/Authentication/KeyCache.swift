// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel

/// API keys that were read from the store a moment ago, without their secrets.
///
/// A value without a lock; ``KeyVerifier`` owns one.
struct KeyCache: Sendable {
    private struct Entry {
        var key: APIKey
        var readAt: Date
    }

    private let capacity: Int
    private let lifetime: TimeInterval
    private var entries: [APIKeyID: Entry] = [:]

    /// Changes with every ``forget(_:)``, so that what was read before it is not kept after it.
    private(set) var generation = 0

    init(capacity: Int, lifetime: TimeInterval) {
        self.capacity = capacity
        self.lifetime = lifetime
    }

    /// The key, unless it was read too long ago.
    func key(_ id: APIKeyID, now: Date) -> APIKey? {
        guard let entry = self.entries[id], self.isFresh(entry, now: now) else { return nil }
        return entry.key
    }

    /// Whether the key was read at any time, and not forgotten since.
    func hasRead(_ id: APIKeyID) -> Bool { self.entries[id] != nil }

    /// Keeps a key that was read when the cache was of this generation.
    mutating func keep(_ key: APIKey, generation: Int, now: Date) {
        guard generation == self.generation else { return }
        if self.entries.count >= self.capacity {
            self.entries = self.entries.filter { self.isFresh($0.value, now: now) }
        }
        if self.entries.count >= self.capacity { self.entries.removeAll() }
        self.entries[key.id] = Entry(key: key, readAt: now)
    }

    /// Forgets a key, or all of them.
    mutating func forget(_ id: APIKeyID? = nil) {
        self.generation += 1
        if let id {
            self.entries[id] = nil
        } else {
            self.entries.removeAll()
        }
    }

    private func isFresh(_ entry: Entry, now: Date) -> Bool {
        (0..<self.lifetime).contains(now.timeIntervalSince(entry.readAt))
    }
}
