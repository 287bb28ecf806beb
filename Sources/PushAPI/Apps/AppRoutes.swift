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

/// The operations on apps: `/v1/apps`.
struct AppRoutes: APIRoutes {
    let store: any PushStore
    let verifier: KeyVerifier
    let bodyLimit: Int
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        [
            APIRoute(.post, "/v1/apps", .scopes([.admin]), self.create),
            APIRoute(.get, "/v1/apps", .scopes([.read]), self.list),
            APIRoute(.get, "/v1/apps/{app}", .scopes([.read]), self.show),
            APIRoute(.delete, "/v1/apps/{app}", .scopes([.admin]), self.delete),
        ]
    }

    private func create(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let request = try AppRequest(try await call.body(upTo: self.bodyLimit))
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        let app = App(
            id: request.id,
            name: request.name,
            defaultEnvironment: request.defaultEnvironment,
            createdAt: now
        )
        do {
            try await self.store.createApp(app)
        } catch let error as StoreError where error.code == .conflict {
            throw Problem(.appExists, "There is an app '\(app.id)' already.", cause: error)
        }
        return try .json(AppBody(app), status: .created, headers: [.location: "/v1/apps/\(app.id)"])
    }

    private func list(_ call: APICall) async throws -> Response {
        let page = try PageRequest(try call.query("after", "limit"))
        let cursor = try page.cursor { AppID(rawValue: $0) }
        let apps = try await self.store.apps(after: cursor, limit: page.limit)
        return try .json(AppListBody(apps: apps.elements.map(AppBody.init), next: apps.next?.rawValue))
    }

    private func show(_ call: APICall) async throws -> Response {
        _ = try call.query()
        return try .json(AppBody(try await self.store.requireApp(call)))
    }

    private func delete(_ call: APICall) async throws -> Response {
        _ = try call.query()
        guard try await self.store.deleteApp(try call.app()) else { throw Problem.unknownApp }
        self.verifier.forget()
        return Response(status: .noContent)
    }
}

extension AppStore {
    /// The app in a call's path.
    ///
    /// - Throws: ``Problem`` `.appNotFound`.
    func requireApp(_ call: APICall) async throws -> App {
        guard let app = try await self.app(try call.app()) else { throw Problem.unknownApp }
        return app
    }
}
