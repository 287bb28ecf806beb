// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The operations on broadcast channels: `/v1/apps/{app}/channels`.
struct ChannelRoutes: APIRoutes {
    let store: any PushStore
    let desk: ChannelDesk
    let bodyLimit: Int
    let now: @Sendable () -> Date

    init(store: any PushStore, manager: (any ChannelManager)?, bodyLimit: Int, now: @escaping @Sendable () -> Date) {
        self.store = store
        self.desk = ChannelDesk(store: store, manager: manager)
        self.bodyLimit = bodyLimit
        self.now = now
    }

    var routes: [APIRoute] {
        let list = "/v1/apps/{app}/channels"
        let single = "\(list)/{channel}"
        let readers: [Scope] = [.activities, .read]
        return [
            APIRoute(.post, list, .scopes([.activities]), self.create),
            APIRoute(.get, list, .scopes(readers), self.list),
            APIRoute(.get, single, .scopes(readers), self.show),
            APIRoute(.delete, single, .scopes([.activities]), self.delete),
        ]
    }

    private func create(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let request = try ChannelRequest(try await call.body(upTo: self.bodyLimit))
        let app = try await self.store.requireApp(call)
        let draft = BroadcastChannel(
            app: app.id,
            name: request.name,
            environment: request.environment ?? app.defaultEnvironment,
            policy: request.policy ?? .newestMessage,
            createdAt: Date(millisecondsSince1970: self.now().millisecondsSince1970)
        )
        let channel: BroadcastChannel
        if let id = request.id {
            channel = try await self.desk.adopt(id, as: draft, keeping: request.policy)
        } else {
            channel = try await self.desk.create(draft)
        }
        let location = "/v1/apps/\(app.id)/channels/\(PercentEncoding.encode(channel.name.rawValue))"
        return try .json(ChannelBody(channel, isAtAPNs: true), status: .created, headers: [.location: location])
    }

    private func list(_ call: APICall) async throws -> Response {
        let query = try call.query("environment")
        let app = try await self.store.requireApp(call)
        let environment = try query["environment"].map(Self.environment) ?? app.defaultEnvironment
        let known = try await self.store.channels(of: app.id, in: environment)
        do {
            let found = try await self.desk.list(app.id, in: environment)
            return try .json(ChannelListBody(known, in: environment, atAPNs: found))
        } catch let problem as Problem {
            return try .json(ChannelListBody(known, in: environment, but: problem))
        }
    }

    private static func environment(_ text: String) throws(Problem) -> APNsEnvironment {
        if let environment = APNsEnvironment(rawValue: text) { return environment }
        let rule = "one of 'sandbox', 'production'"
        throw Problem(.invalidRequest, at: .query("environment"), expected: rule, got: "another text")
    }

    private func show(_ call: APICall) async throws -> Response {
        let query = try call.query("verify")
        let verifies: Bool
        switch query["verify"] {
        case nil, "false": verifies = false
        case "true": verifies = true
        default: throw Problem(.invalidRequest, at: .query("verify"), expected: "true or false", got: "another text")
        }
        let app = try await self.store.requireApp(call)
        guard let channel = try await self.store.channel(try call.channel(), of: app.id) else {
            throw Problem.unknownChannel
        }
        let isAtAPNs = verifies ? try await self.desk.isAtAPNs(channel) : nil
        return try .json(ChannelBody(channel, isAtAPNs: isAtAPNs))
    }

    private func delete(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let app = try await self.store.requireApp(call)
        try await self.desk.delete(try call.channel(), of: app.id)
        return Response(status: .noContent)
    }
}

extension APICall {
    /// The channel in the path.
    fileprivate func channel() throws(Problem) -> ChannelName {
        guard let name = self.parameter("channel").flatMap(ChannelName.init(rawValue:)) else { throw .unknownChannel }
        return name
    }
}
