// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import Hummingbird
import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The operations on API keys: `/v1/keys`.
struct KeyRoutes: APIRoutes {
    let store: any PushStore
    let verifier: KeyVerifier
    let masterKey: MasterKey?
    let bodyLimit: Int
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        [
            APIRoute(.post, "/v1/keys", .scopes([.admin]), self.create),
            APIRoute(.get, "/v1/keys", .scopes([.admin]), self.list),
            APIRoute(.delete, "/v1/keys/{key}", .scopes([.admin]), self.revoke),
        ]
    }

    private func create(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        let request = try KeyRequest(try await call.body(upTo: self.bodyLimit), now: now)
        let secret = APIKeySecret.generate()
        let signingSecret = request.isAccessKey ? SigningSecret.generate() : nil
        let sealed = try signingSecret.map { signingSecret in
            guard let masterKey else { throw Problem(.masterKeyMissing, ProblemCode.masterKeyMissing.entry.meaning) }
            return masterKey.seal(signingSecret, for: secret.id)
        }
        let key = APIKey(
            id: secret.id,
            name: request.name,
            scopes: request.scopes,
            app: request.app,
            secretHash: secret.hash,
            sealedSigningSecret: sealed,
            createdAt: now,
            expiresAt: request.expiresAt
        )
        do {
            try await self.store.createKey(key)
        } catch let error as StoreError where error.code == .notFound {
            let known = "the bundle identifier of an app that exists"
            throw Problem(.invalidRequest, at: .root.member("app"), expected: known, got: "\(request.app ?? "none")")
        }
        let body = KeyBody(key, secret: secret, signingSecret: signingSecret)
        return try .json(body, status: .created, headers: [.location: "/v1/keys/\(key.id)"])
    }

    private func list(_ call: APICall) async throws -> Response {
        let page = try PageRequest(try call.query("after", "limit"))
        let cursor = try page.cursor { APIKeyID(rawValue: $0) }
        let keys = try await self.store.keys(after: cursor, limit: page.limit)
        return try .json(KeyListBody(keys: keys.elements.map { KeyBody($0) }, next: keys.next?.rawValue))
    }

    private func revoke(_ call: APICall) async throws -> Response {
        _ = try call.query()
        guard let id = call.parameter("key").flatMap(APIKeyID.init(rawValue:)),
            try await self.store.revokeKey(id, now: self.now())
        else { throw Problem(.keyNotFound, "There is no API key of the id in the path.") }
        self.verifier.forget(id)
        return Response(status: .noContent)
    }
}
