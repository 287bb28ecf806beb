// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel

/// API keys that were read from the store a moment ago, without their secrets, and ids for which the store had no key.
///
/// A value without a lock; ``KeyVerifier`` owns one.
struct KeyCache: Sendable {
    private struct Entry {
        var key: APIKey
        var readAt: Date
    }

    /// The most ids without a key that are kept.
    static let unknownCapacity = 1024

    /// How many seconds an id counts as one without a key: from then on a key works that another process has created.
    static let unknownLifetime: TimeInterval = 5

    private let capacity: Int
    private let lifetime: TimeInterval
    private var entries: [APIKeyID: Entry] = [:]

    /// The ids without a key, with the times at which the store was asked for them.
    private var unknown: [APIKeyID: Date] = [:]

    /// Changes with every ``forget(_:)``, so that what was read before it is not kept after it.
    private(set) var generation = 0

    init(capacity: Int, lifetime: TimeInterval) {
        self.capacity = capacity
        self.lifetime = max(0, lifetime)
    }

    /// The key, unless it was read too long ago.
    func key(_ id: APIKeyID, now: Date) -> APIKey? {
        guard let entry = self.entries[id], Self.isFresh(entry.readAt, for: self.lifetime, now: now) else { return nil }
        return entry.key
    }

    /// Whether the key was read at any time, and not forgotten since.
    func hasRead(_ id: APIKeyID) -> Bool { self.entries[id] != nil }

    /// Whether the store had no key of that id a moment ago.
    func isUnknown(_ id: APIKeyID, now: Date) -> Bool {
        self.unknown[id].map { Self.isFresh($0, for: Self.unknownLifetime, now: now) } ?? false
    }

    /// Keeps a key that was read when the cache was of this generation.
    mutating func keep(_ key: APIKey, generation: Int, now: Date) {
        guard generation == self.generation else { return }
        if self.entries.count >= self.capacity {
            self.entries = self.entries.filter { Self.isFresh($0.value.readAt, for: self.lifetime, now: now) }
        }
        if self.entries.count >= self.capacity { self.entries.removeAll() }
        self.entries[key.id] = Entry(key: key, readAt: now)
        self.unknown[key.id] = nil
    }

    /// Keeps an id for which the store had no key when the cache was of this generation.
    mutating func keepUnknown(_ id: APIKeyID, generation: Int, now: Date) {
        guard generation == self.generation else { return }
        if self.unknown.count >= Self.unknownCapacity {
            self.unknown = self.unknown.filter { Self.isFresh($0.value, for: Self.unknownLifetime, now: now) }
        }
        if self.unknown.count >= Self.unknownCapacity { self.unknown.removeAll() }
        self.unknown[id] = now
    }

    /// Forgets a key, and that there was none, of one id or of all.
    mutating func forget(_ id: APIKeyID? = nil) {
        self.generation += 1
        if let id {
            self.entries[id] = nil
            self.unknown[id] = nil
        } else {
            self.entries.removeAll()
            self.unknown.removeAll()
        }
    }

    private static func isFresh(_ readAt: Date, for lifetime: TimeInterval, now: Date) -> Bool {
        (0..<lifetime).contains(now.timeIntervalSince(readAt))
    }
}
