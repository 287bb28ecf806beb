// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore

/// Tells whether the holder of an API key may do something.
///
/// A key is read from the store at most once a second, so a revocation counts at once in the process that made it and
/// within a second in all others. An id without a key is looked up in the store at most once in 5 seconds, so requests
/// with a wrong key do not load the store.
final class KeyVerifier: Sendable {
    /// How many seconds an id counts as one without a key: from then on a key works that another process has created.
    static let unknownLifetime: TimeInterval = 5

    private let uses: KeyUses
    private let now: @Sendable () -> Date
    private let keys: CachedLookup<APIKeyID, APIKey>

    init(store: any APIKeyStore, uses: KeyUses, lifetime: Duration, now: @escaping @Sendable () -> Date) {
        self.uses = uses
        self.now = now
        self.keys = CachedLookup(lifetime: lifetime, unknownLifetime: Self.unknownLifetime, now: now) {
            try await store.key($0)
        }
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
        let app = reach.appID(for: key)
        var first: APIKey.Refusal?
        for scope in scopes {
            guard let refusal = key.refusal(to: scope, app: app) else { return key }
            first = first ?? refusal
        }
        if let first { throw Problem(first, scopes: scopes) }
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
    func forget(_ id: APIKeyID? = nil) { self.keys.forget(id) }

    /// Records that the holder of a key has proved it in another way than ``authorize(_:scopes:reach:)`` checks.
    func noteUse(of key: APIKey) {
        self.uses.note(key.id, at: self.now())
    }

    /// Whether there was a key of that id when the store was asked last, however long ago.
    func hasRead(_ id: APIKeyID) -> Bool { self.keys.hasRead(id) }

    /// The key of that id, revoked and expired ones included; nothing is verified of whoever names it.
    func key(_ id: APIKeyID) async throws -> APIKey? { try await self.keys.record(id) }
}

extension Problem {
    init(_ refusal: APIKey.Refusal, scopes: [Scope] = []) {
        switch refusal {
        case .wrongSecret:
            self.init(.invalidKey, "There is no API key with this id and secret.")
        case .revoked(let time):
            self.init(.revokedKey, "The key was revoked at \(Timestamp.text(time)).")
        case .expired(let time):
            self.init(.expiredKey, "The key expired at \(Timestamp.text(time)).")
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
        let text = header.utf8.drop { $0 == UInt8(ascii: " ") }
        guard let space = text.firstIndex(of: UInt8(ascii: " ")), text[space...].count > 1,
            // The scheme may have capital letters, which differ in one bit.
            text[..<space].elementsEqual("bearer".utf8, by: { $0 | 0x20 == $1 })
        else { throw Problem(.invalidKey, "The Authorization header is not of the form 'Bearer <API key>'.") }
        let key = header[header.utf8.index(after: space)...]
        guard let secret = APIKeySecret(key) else {
            throw Problem(.invalidKey, "What follows 'Bearer' is not an API key (\(key.utf8.count) bytes).")
        }
        return secret
    }
}
