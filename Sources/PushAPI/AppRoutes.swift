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
            APIRoute(.patch, "/v1/apps/{app}", .scopes([.admin]), self.update),
            APIRoute(.delete, "/v1/apps/{app}", .scopes([.admin]), self.delete),
        ]
    }

    private func create(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let request = try AppRequest(try await call.body(upTo: self.bodyLimit))
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        var app = App(id: request.id, createdAt: now)
        app.installationSecrets.mode = .required
        app.activityJoins = .named
        request.settings.apply(to: &app)
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

    private func update(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let settings = try AppSettings(try await call.body(upTo: self.bodyLimit))
        let id = try call.app()
        // Not the record in memory, which another process may have changed.
        guard var app = try await self.store.app(id) else { throw Problem.unknownApp }
        settings.apply(to: &app)
        defer { call.apps.forget(id) }
        guard try await self.store.updateApp(app) else { throw Problem.unknownApp }
        return .json(AppResponse(app))
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
    static let members = ["id"] + AppSettings.members
    var id: AppID
    var settings: AppSettings
}

extension AppRequest {
    init(_ body: [UInt8]) throws(Problem) {
        var id: AppID?
        var settings = AppSettings()
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            if member == "id" {
                id = try reader.value(path, AppID.init(validating:))
            } else {
                try settings.read(member, &reader, path)
            }
        } finish: { reader in
            reader.require(id, "id").map { AppRequest(id: $0, settings: settings) }
        }
    }
}

/// The settings of an app that a request changes; `nil` keeps one.
struct AppSettings: Sendable {
    static let members = [
        "name", "defaultEnvironment", "installationSecrets", "installationsBindUntil", "activityJoins",
        "attestation", "teamID",
    ]
    private var name: String?
    private var defaultEnvironment: APNsEnvironment?
    private var secrets: InstallationSecretPolicy.Mode?
    private var bindUntil: Date?
    private var joins: ActivityJoinPolicy?
    private var attestation: AttestationPolicy.Mode?
    private var teamID: String?

    init() {}

    mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        switch member {
        case "name": self.name = try reader.string(path, bytes: 1...256)
        case "defaultEnvironment": self.defaultEnvironment = try reader.oneOf(APNsEnvironment.self, path)
        case "installationSecrets": self.secrets = try reader.oneOf(InstallationSecretPolicy.Mode.self, path)
        case "installationsBindUntil": self.bindUntil = try reader.value(path, Timestamp.parse)
        case "activityJoins": self.joins = try reader.oneOf(ActivityJoinPolicy.self, path)
        case "attestation": self.attestation = try reader.oneOf(AttestationPolicy.Mode.self, path)
        case "teamID":
            guard let text = try reader.string(path) else { return }
            if AttestationPolicy.isTeamID(text) {
                self.teamID = text
            } else {
                reader.faults.add(path, expected: "10 capital letters and digits", got: "another text")
            }
        default: try reader.skip()
        }
    }

    func apply(to app: inout App) {
        if let name { app.name = name }
        if let defaultEnvironment { app.defaultEnvironment = defaultEnvironment }
        if let secrets { app.installationSecrets.mode = secrets }
        if let bindUntil {
            app.installationSecrets.bindsUntil = Date(millisecondsSince1970: bindUntil.millisecondsSince1970)
        }
        if let joins { app.activityJoins = joins }
        if let attestation { app.attestation.mode = attestation }
        if let teamID { app.attestation.teamID = teamID }
    }
}

extension AppSettings {
    init(_ body: [UInt8]) throws(Problem) {
        var settings = AppSettings()
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            try settings.read(member, &reader, path)
        } finish: { _ in
            settings
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
            writer.member("activityJoins", self.app.activityJoins.rawValue)
            writer.member("attestation", self.app.attestation.mode.rawValue)
            writer.member("createdAt", self.app.createdAt)
            writer.member("defaultEnvironment", self.app.defaultEnvironment.rawValue)
            writer.member("id", self.app.id.rawValue)
            writer.member("installationSecrets", self.app.installationSecrets.mode.rawValue)
            writer.member("installationsBindUntil", self.app.installationSecrets.bindsUntil)
            writer.member("name", self.app.name)
            writer.member("teamID", self.app.attestation.teamID)
        }
    }
}
