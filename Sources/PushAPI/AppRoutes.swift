// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// The operations on apps: `/v1/apps`.
struct AppRoutes: APIRoutes {
    let store: any AppStore
    let verifier: APIKeyAuthenticator
    let bodyLimit: Int
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        [
            APIRoute(.post, "/v1/apps", .scopes([.admin]), self.create),
            APIRoute(.get, "/v1/apps", .scopes([.read]), self.list),
            APIRoute(.get, "/v1/apps/{app}", .scopes([.read]), self.show).onEventLoop,
            APIRoute(.delete, "/v1/apps/{app}", .scopes([.admin]), self.delete),
        ]
    }

    private func create(_ call: AuthorizedRequest) async throws -> Response {
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
        call.apps.forget(app.id)
        return .json(AppResponse(app), status: .created, headers: [.location: "/v1/apps/\(app.id)"])
    }

    private func list(_ call: AuthorizedRequest) async throws -> Response {
        let page = try PageRequest(try call.query("cursor", "limit"))
        let cursor = try page.cursor { AppID(rawValue: $0) }
        let apps = try await self.store.apps(after: cursor, limit: page.limit)
        return .json(ListBody("apps", of: apps.elements.map(AppResponse.init), nextCursor: apps.next?.rawValue))
    }

    private func show(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        return .json(AppResponse(try await call.requireApp()))
    }

    private func delete(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let id = try call.app()
        // Also if the store fails: it may have deleted the app all the same.
        defer {
            call.apps.forget(id)
            self.verifier.forget()
        }
        guard try await self.store.deleteApp(id) else { throw Problem.unknownApp }
        return Response(status: .noContent)
    }
}

/// A request to create an app.
struct AppRequest: Sendable {
    static let members = ["id", "name", "defaultEnvironment"]
    var id: AppID
    var name: String?
    var defaultEnvironment: APNsEnvironment
}

extension AppRequest {
    init(_ body: [UInt8]) throws(Problem) {
        var id: AppID?
        var name: String?
        var environment: APNsEnvironment?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "id": id = try reader.value(path, AppID.init(validating:))
            case "name": name = try reader.string(path, bytes: 1...256)
            case "defaultEnvironment": environment = try reader.oneOf(APNsEnvironment.self, path)
            default: try reader.skip()
            }
        } finish: { reader in
            reader.require(id, "id").map {
                AppRequest(id: $0, name: name, defaultEnvironment: environment ?? .production)
            }
        }
    }
}

/// An app, as returned by the API.
struct AppResponse: JSONWritable {
    let app: App

    init(_ app: App) {
        self.app = app
    }

    func write(into writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("createdAt", self.app.createdAt)
            writer.member("defaultEnvironment", self.app.defaultEnvironment.rawValue)
            writer.member("id", self.app.id.rawValue)
            writer.member("name", self.app.name)
        }
    }
}
