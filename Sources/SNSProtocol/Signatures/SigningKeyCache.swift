// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Synchronization

/// The signing keys of scopes in use, so that a request costs one HMAC and not five.
///
/// Bounded: when half of the room is taken, the older half is forgotten.
final class SigningKeyCache: Sendable {
    private struct Entry {
        var secret: String
        var key: SigningKey
    }

    private struct Generations {
        var young: [CredentialScope: Entry] = [:]
        var old: [CredentialScope: Entry] = [:]
    }

    private let generationSize: Int
    private let generations = Mutex(Generations())

    /// A cache for at most `capacity` keys, 2 or more.
    init(capacity: Int) {
        self.generationSize = max(1, capacity / 2)
    }

    /// How many keys are kept.
    var count: Int { self.generations.withLock { $0.young.count + $0.old.count } }

    /// The key of a scope if it is kept, and was derived from this secret and not from one that was replaced.
    func key(for scope: CredentialScope, secret: String) -> SigningKey? {
        self.generations.withLock { generations in
            if let entry = generations.young[scope] { return entry.secret == secret ? entry.key : nil }
            guard let entry = generations.old[scope], entry.secret == secret else { return nil }
            self.keep(entry, for: scope, in: &generations)
            return entry.key
        }
    }

    /// Keeps the key of a scope.
    func keep(_ key: SigningKey, for scope: CredentialScope, secret: String) {
        self.generations.withLock { self.keep(Entry(secret: secret, key: key), for: scope, in: &$0) }
    }

    private func keep(_ entry: Entry, for scope: CredentialScope, in generations: inout Generations) {
        generations.old[scope] = nil
        if generations.young[scope] == nil, generations.young.count >= self.generationSize {
            generations.old = generations.young
            generations.young = [:]
        }
        generations.young[scope] = entry
    }
}
