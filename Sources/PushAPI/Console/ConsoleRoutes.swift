// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import WebPages

/// The console in the browser: its files, and the session of a browser.
///
/// The page calls the routes of the API.
struct ConsoleRoutes: APIRoutes {
    let access: ConsoleAccess
    let verifier: APIKeyAuthenticator
    let version: String?

    var routes: [APIRoute] {
        [
            APIRoute(.get, "/console", .anyone) { call in try self.file("index.html", for: call) },
            APIRoute(.get, "/console/{file}", .anyone) { call in
                try self.file(call.parameter("file") ?? "", for: call)
            },
            APIRoute(.get, "/console/session", .anyone, self.show),
            APIRoute(.post, "/console/session", .anyone, self.signIn),
            APIRoute(.delete, "/console/session", .anyone, self.signOut),
        ]
    }

    private func file(_ name: String, for call: AuthorizedRequest) throws(Problem) -> Response {
        try self.checkServed(to: call)
        guard let file = WebPage.console.file(name) else {
            throw Problem(.routeNotFound, "The console has no file '\(name.prefix(80))'.")
        }
        return file
    }

    /// - Throws: ``Problem`` `.routeNotFound`.
    private func checkServed(to call: AuthorizedRequest) throws(Problem) {
        guard !self.access.isServed(to: call.request) else { return }
        throw Problem(
            .routeNotFound,
            "The console is served to browsers of this machine only, and not through a proxy. Set 'console' to 'true' to "
                + "serve it to all browsers."
        )
    }

    private func signIn(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        try self.checkServed(to: call)
        try self.access.checkOrigin(of: call.request)
        let secret = try SignInRequest(try await call.body(upTo: 1024)).key
        let key = try await call.gate.authorize(.secret(secret), scopes: [], reach: .appOfKey)
        return try self.response(ConsoleSession(key: key.id, startedAt: self.access.now()), of: key, to: call)
    }

    /// Returns the key of the session, and renews the session.
    private func show(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        guard let session = try self.access.session(of: call.request) else {
            throw Problem(.missingAPIKey, "The request has no cookie of the console.")
        }
        let key = try await call.gate.authorize(.session(session), scopes: [], reach: .appOfKey)
        return try self.response(session.renewed(now: self.access.now()), of: key, to: call)
    }

    private func response(_ session: ConsoleSession, of key: APIKey, to call: AuthorizedRequest) throws -> Response {
        var headers: HTTPFields = [.cacheControl: "no-store"]
        headers[.setCookie] = self.access.setCookie(session, for: call.request)
        return try .json(SessionResponse(key, session: session, version: self.version), headers: headers)
    }

    private func signOut(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        try self.access.checkOrigin(of: call.request)
        return Response(status: .noContent, headers: [.setCookie: ConsoleAccess.removeCookie(for: call.request)])
    }
}

/// A request to sign in to the console with an API key.
private struct SignInRequest {
    let key: APIKeySecret

    init(_ body: [UInt8]) throws(Problem) {
        var key: APIKeySecret?
        self = try JSONReader.read(body, members: ["key"]) { reader, member, path throws(JSONSyntaxError) in
            guard member == "key" else { return try reader.skip() }
            guard let text = try reader.string(path, bytes: 1...256) else { return }
            key = APIKeySecret(text[...])
            if key == nil { reader.faults.add(path, expected: "an API key", got: "\(text.utf8.count) bytes") }
        } finish: { reader in
            reader.require(key, "key").map { SignInRequest(key: $0) }
        }
    }

    private init(key: APIKeySecret) { self.key = key }
}

/// A session of the console: its key without the secret.
private struct SessionResponse: Encodable {
    let id: String
    let name: String
    let scopes: [Scope]
    let app: String?
    let keyExpiresAt: Date?
    let startedAt: Date
    let expiresAt: Date
    let version: String?

    init(_ key: APIKey, session: ConsoleSession, version: String?) {
        self.id = key.id.rawValue
        self.name = key.name
        self.scopes = key.scopes.sorted()
        self.app = key.app?.rawValue
        self.keyExpiresAt = key.expiresAt
        self.startedAt = session.startedAt
        self.expiresAt = session.expiresAt
        self.version = version
    }
}
