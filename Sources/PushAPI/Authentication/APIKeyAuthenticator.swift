// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore

/// Authenticates requests by API key, and checks the scopes of the key.
///
/// It reads a key from the store at most once per second. So a revocation takes effect immediately in the process that
/// made it, and within one second in all others. It looks up an unknown key ID at most once in 5 seconds, so requests
/// with a wrong key do not load the store.
final class APIKeyAuthenticator: Sendable {
    /// The number of seconds for which a key ID stays unknown: a key that another process creates works after that.
    static let unknownLifetime: TimeInterval = 5

    private let uses: KeyUses
    private let ids: KeyIDRecognizer
    let now: @Sendable () -> Date
    private let keys: CachedLookup<APIKeyID, APIKey>

    init(
        store: any APIKeyStore,
        uses: KeyUses,
        ids: KeyIDRecognizer,
        lifetime: Duration,
        now: @escaping @Sendable () -> Date
    ) {
        self.uses = uses
        self.ids = ids
        self.now = now
        self.keys = CachedLookup(lifetime: lifetime, unknownLifetime: Self.unknownLifetime, now: now) {
            try await store.key($0)
        }
    }

    /// Checks a request's key against a route.
    ///
    /// The key needs one of the scopes, for all apps that the request concerns.
    /// - Throws: ``Problem`` with status 401 for an invalid key, 403 for a missing scope or another app.
    /// `client` returns the address of the client.
    func authorize(
        _ credential: CallerCredential,
        scopes: [Scope],
        reach: CallReach,
        from client: () -> NetworkAddress?
    ) async throws -> APIKey {
        let now = self.now()
        guard let key = try await self.key(credential.keyID) else { throw Problem(.wrongSecret) }
        try credential.check(key, now: now)
        if let refusal = key.refusal(from: client) { throw Problem(refusal) }
        self.uses.note(key, at: now, from: client)
        let app = reach.appID(for: key)
        var first: APIKey.Refusal?
        for scope in scopes {
            guard let refusal = key.refusal(to: scope, app: app) else { return key }
            first = first ?? refusal
        }
        if let first { throw Problem(first, scopes: scopes) }
        return key
    }

    /// Checks the key of a long request again.
    ///
    /// - Returns: why the request must end; `nil` if it may continue. A failure of the store also returns `nil`.
    func refusal(of caller: AuthorizedRequest.Caller, from client: () -> NetworkAddress?) async -> Problem? {
        do {
            _ = try await self.authorize(
                caller.credential,
                scopes: caller.scopes,
                reach: caller.reach,
                from: client
            )
            return nil
        } catch {
            return error as? Problem
        }
    }

    /// Removes a key, or all keys, from the cache, because the key was created or changed.
    func forget(_ id: APIKeyID? = nil) { self.keys.forget(id) }

    /// Records the use of a key that was verified by other means than ``authorize(_:scopes:reach:from:)``.
    func noteUse(of key: APIKey, from client: () -> NetworkAddress?) {
        self.uses.note(key, at: self.now(), from: client)
    }

    /// Whether this process knows, without a look-up, that such a key exists or existed.
    func recognizes(_ id: APIKeyID) -> Bool { self.keys.hasRead(id) || self.ids.recognizes(id) }

    /// Returns the key with that ID, even if it is revoked or expired; the caller must verify the secret.
    func key(_ id: APIKeyID) async throws -> APIKey? { try await self.keys.record(id) }
}

extension Problem {
    init(_ refusal: APIKey.Refusal, scopes: [Scope] = []) {
        switch refusal {
        case .wrongSecret:
            self.init(.invalidAPIKey, "There is no API key with this id and secret.")
        case .revoked(let time):
            self.init(.revokedAPIKey, "The key was revoked at \(Timestamp.text(time)).")
        case .expired(let time):
            self.init(.expiredAPIKey, "The key expired at \(Timestamp.text(time)).")
        case .insufficientScope(let scope):
            let names = (scopes.isEmpty ? [scope] : scopes).map { "'\($0.rawValue)'" }.joined(separator: " or ")
            self.init(.insufficientScope, "The route requires the scope \(names), which the key does not have.")
        case .otherApp(let bound):
            self.init(.apiKeyAppMismatch, "The key may be used below /v1/apps/\(bound) only.")
        case .addressNotAllowed:
            self.init(.addressNotAllowed, "The key may not be used from the address of the client.")
        }
    }
}

/// Reads the `Authorization` header (RFC 6750).
enum BearerToken {
    /// The API key in a header's value.
    ///
    /// - Returns: the key with its secret, not yet compared with the store.
    /// - Throws: ``Problem`` `.missingAPIKey`, or `.invalidAPIKey` for another scheme or a malformed key.
    static func parse(_ header: String?) throws(Problem) -> APIKeySecret {
        guard let header else { throw Problem(.missingAPIKey, "The request has no Authorization header.") }
        let text = header.utf8.drop { $0 == UInt8(ascii: " ") }
        guard let space = text.firstIndex(of: UInt8(ascii: " ")), text[space...].count > 1,
            // The scheme may have capital letters, which differ in one bit.
            text[..<space].elementsEqual("bearer".utf8, by: { $0 | 0x20 == $1 })
        else { throw Problem(.invalidAPIKey, "The Authorization header is not of the form 'Bearer <API key>'.") }
        let key = header[header.utf8.index(after: space)...]
        guard let secret = APIKeySecret(key) else {
            throw Problem(.invalidAPIKey, "The value after 'Bearer' (\(key.utf8.count) bytes) is not an API key.")
        }
        return secret
    }
}
