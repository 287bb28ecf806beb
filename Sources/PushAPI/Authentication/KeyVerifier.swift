// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import Synchronization

/// Tells whether the holder of an API key may do something.
///
/// A key is read from the store at most once a second, so a revocation counts at once in the process that made it and
/// within a second in all others. An id without a key is looked up in the store at most once in 5 seconds, so requests
/// with a wrong key do not load the store.
final class KeyVerifier: Sendable {
    private let store: any APIKeyStore
    private let uses: KeyUses
    private let now: @Sendable () -> Date
    private let cache: Mutex<KeyCache>

    init(store: any APIKeyStore, uses: KeyUses, lifetime: Duration, now: @escaping @Sendable () -> Date) {
        self.store = store
        self.uses = uses
        self.now = now
        self.cache = Mutex(KeyCache(capacity: 4096, lifetime: min(1, lifetime / .seconds(1))))
    }

    /// Checks a request's key against a route.
    ///
    /// The key needs one of the scopes, for all apps that the request concerns.
    /// - Throws: ``Problem`` with status 401 when the key is not good, with 403 when it is not good for this.
    func authorize(_ secret: APIKeySecret, scopes: [Scope], reach: CallReach) async throws -> APIKey {
        let now = self.now()
        guard let key = try await self.key(secret.id) else { throw Problem(.wrongSecret) }
        if let refusal = key.refusal(of: secret, now: now) { throw Problem(refusal) }
        self.uses.note(key.id, at: now)
        let refusals = scopes.map { key.refusal(to: $0, app: reach.appID(for: key)) }
        if let refusal = refusals.compactMap(\.self).first, !refusals.contains(nil) {
            throw Problem(refusal, scopes: scopes)
        }
        return key
    }

    /// Checks the key of a request that has begun once more.
    ///
    /// - Returns: why the request may not go on; `nil` while it may, and when the store fails, which revokes nothing.
    func refusal(of header: String?, scopes: [Scope], reach: CallReach) async -> Problem? {
        do {
            _ = try await self.authorize(try BearerToken.parse(header), scopes: scopes, reach: reach)
            return nil
        } catch {
            return error as? Problem
        }
    }

    /// Forgets what was read of a key, or of all of them, because it changed or was created.
    func forget(_ id: APIKeyID? = nil) {
        self.cache.withLock { $0.forget(id) }
    }

    /// Records that the holder of a key has proved it in another way than ``authorize(_:scopes:reach:)`` checks.
    func noteUse(of key: APIKey) {
        self.uses.note(key.id, at: self.now())
    }

    /// Whether there was a key of that id when the store was asked last, however long ago.
    func hasRead(_ id: APIKeyID) -> Bool { self.cache.withLock { $0.hasRead(id) } }

    /// The key of that id, revoked and expired ones included; nothing is verified of whoever names it.
    func key(_ id: APIKeyID) async throws -> APIKey? {
        let now = self.now()
        let (known, isUnknown, generation) = self.cache.withLock { cache in
            let known = cache.key(id, now: now)
            return (known, known == nil && cache.isUnknown(id, now: now), cache.generation)
        }
        if let known { return known }
        guard !isUnknown else { return nil }
        let key = try await self.store.key(id)
        self.cache.withLock { cache in
            if let key {
                cache.keep(key, generation: generation, now: now)
            } else {
                cache.keepUnknown(id, generation: generation, now: now)
            }
        }
        return key
    }
}

extension Problem {
    init(_ refusal: APIKey.Refusal, scopes: [Scope] = []) {
        switch refusal {
        case .wrongSecret:
            self.init(.invalidKey, "There is no API key with this id and secret.")
        case .revoked(let time):
            self.init(.revokedKey, "The key was revoked at \(time.formatted(Timestamp.style)).")
        case .expired(let time):
            self.init(.expiredKey, "The key expired at \(time.formatted(Timestamp.style)).")
        case .missingScope(let scope):
            let names = (scopes.isEmpty ? [scope] : scopes).map { "'\($0.rawValue)'" }.joined(separator: " or ")
            self.init(.missingScope, "The route asks for the scope \(names), which the key does not have.")
        case .otherApp(let bound):
            self.init(.keyNotForApp, "The key may be used below /v1/apps/\(bound) only.")
        }
    }
}

/// Reads the `Authorization` header (RFC 6750).
enum BearerToken {
    /// The API key in a header's value.
    ///
    /// - Returns: the key with its secret, not yet held against the store.
    /// - Throws: ``Problem`` `.missingKey`, or `.invalidKey` for another scheme and for what is no API key.
    static func parse(_ header: String?) throws(Problem) -> APIKeySecret {
        guard let header else { throw Problem(.missingKey, "The request has no Authorization header.") }
        let parts = header.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Problem(.invalidKey, "The Authorization header is not of the form 'Bearer <API key>'.")
        }
        guard let secret = APIKeySecret(parts[1]) else {
            throw Problem(.invalidKey, "What follows 'Bearer' is not an API key (\(parts[1].utf8.count) bytes).")
        }
        return secret
    }
}

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
