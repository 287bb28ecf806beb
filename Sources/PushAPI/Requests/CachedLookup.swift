// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import Synchronization

/// The apps of requests.
typealias AppLookup = CachedLookup<AppID, App>

/// Finds records by their IDs, in memory if the store was asked for them a moment ago.
///
/// A change counts at once in a process that calls ``forget(_:)`` after it, and within a second in all others.
final class CachedLookup<ID: Hashable & Sendable, Record: Sendable>: Sendable {
    private let now: @Sendable () -> Date
    private let read: @Sendable (ID) async throws -> Record?
    private let cache: Mutex<RecordCache<ID, Record>>

    /// Records are believed for `lifetime`, and for a second at most.
    ///
    /// That there is no record of an ID is believed for `unknownLifetime`.
    init(
        lifetime: Duration,
        unknownLifetime: TimeInterval = 0,
        now: @escaping @Sendable () -> Date,
        read: @escaping @Sendable (ID) async throws -> Record?
    ) {
        self.now = now
        self.read = read
        self.cache = Mutex(
            RecordCache(
                capacity: 4096,
                lifetime: min(1, lifetime / .seconds(1)),
                unknownLifetime: unknownLifetime
            )
        )
    }

    /// The record of an ID; `nil` when there is none.
    func record(_ id: ID) async throws -> Record? {
        let now = self.now()
        let (known, isUnknown, generation) = self.cache.withLock { cache in
            let known = cache.record(id, now: now)
            return (known, known == nil && cache.isUnknown(id, now: now), cache.generation)
        }
        if let known { return known }
        guard !isUnknown else { return nil }
        let record = try await self.read(id)
        self.cache.withLock { cache in
            if let record {
                cache.keep(record, of: id, generation: generation, now: now)
            } else {
                cache.keepUnknown(id, generation: generation, now: now)
            }
        }
        return record
    }

    /// Removes an ID, or all of them, from the cache, because the record was created or changed.
    func forget(_ id: ID? = nil) { self.cache.withLock { $0.forget(id) } }

    /// Whether the record existed at the last lookup, regardless of its age.
    func hasRead(_ id: ID) -> Bool { self.cache.withLock { $0.hasRead(id) } }
}

/// Records that were read from the store recently, and IDs without a record.
///
/// A value without synchronization; ``CachedLookup`` has a lock for it.
struct RecordCache<ID: Hashable & Sendable, Record: Sendable>: Sendable {
    private struct Entry {
        var record: Record
        var readAt: Date
    }

    /// The most IDs without a record that are kept.
    static var unknownCapacity: Int { 1024 }

    private let capacity: Int
    private let lifetime: TimeInterval
    private let unknownLifetime: TimeInterval
    private var entries: [ID: Entry] = [:]

    /// The IDs without a record, with the times at which the store was asked for them.
    private var unknown: [ID: Date] = [:]

    /// Changes with every ``forget(_:)``, so that an earlier result is not cached after it.
    private(set) var generation = 0

    init(capacity: Int, lifetime: TimeInterval, unknownLifetime: TimeInterval) {
        self.capacity = capacity
        self.lifetime = max(0, lifetime)
        self.unknownLifetime = max(0, unknownLifetime)
    }

    /// The record, unless it was read too long ago.
    func record(_ id: ID, now: Date) -> Record? {
        guard let entry = self.entries[id], Self.isFresh(entry.readAt, for: self.lifetime, now: now) else { return nil }
        return entry.record
    }

    /// Whether the record was read at any time, and not forgotten since.
    func hasRead(_ id: ID) -> Bool { self.entries[id] != nil }

    /// Whether the store had no record of that ID a moment ago.
    func isUnknown(_ id: ID, now: Date) -> Bool {
        self.unknown[id].map { Self.isFresh($0, for: self.unknownLifetime, now: now) } ?? false
    }

    /// Keeps a record that was read when the cache was of this generation.
    mutating func keep(_ record: Record, of id: ID, generation: Int, now: Date) {
        guard generation == self.generation else { return }
        if self.entries.count >= self.capacity {
            self.entries = self.entries.filter { Self.isFresh($0.value.readAt, for: self.lifetime, now: now) }
        }
        if self.entries.count >= self.capacity { self.entries.removeAll() }
        self.entries[id] = Entry(record: record, readAt: now)
        self.unknown[id] = nil
    }

    /// Caches an ID without a record, if the lookup began in this generation.
    mutating func keepUnknown(_ id: ID, generation: Int, now: Date) {
        guard generation == self.generation, self.unknownLifetime > 0 else { return }
        if self.unknown.count >= Self.unknownCapacity {
            self.unknown = self.unknown.filter { Self.isFresh($0.value, for: self.unknownLifetime, now: now) }
        }
        if self.unknown.count >= Self.unknownCapacity { self.unknown.removeAll() }
        self.unknown[id] = now
    }

    /// Forgets a record, and that there was none, of one ID or of all.
    mutating func forget(_ id: ID? = nil) {
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
