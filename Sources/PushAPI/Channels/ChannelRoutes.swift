// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// The operations on broadcast channels: `/v1/apps/{app}/channels`.
struct ChannelRoutes: APIRoutes {
    let store: any AppStore & ChannelStore
    let desk: ChannelProvisioner
    let bodyLimit: Int
    let now: @Sendable () -> Date

    init(
        store: any AppStore & ChannelStore,
        manager: (any ChannelManager)?,
        bodyLimit: Int,
        now: @escaping @Sendable () -> Date
    ) {
        self.store = store
        self.desk = ChannelProvisioner(store: store, manager: manager)
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

    private func create(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let request = try ChannelRequest(try await call.body(upTo: self.bodyLimit))
        let app = try await call.requireApp()
        let draft = BroadcastChannel(
            app: app.id,
            name: request.name,
            environment: request.environment ?? app.defaultEnvironment,
            policy: request.policy ?? .mostRecentMessage,
            createdAt: Date(millisecondsSince1970: self.now().millisecondsSince1970)
        )
        let channel: BroadcastChannel
        if let id = request.id {
            channel = try await self.desk.adopt(id, as: draft, keeping: request.policy)
        } else {
            channel = try await self.desk.create(draft)
        }
        let location = "/v1/apps/\(app.id)/channels/\(PercentEncoding.encode(channel.name.rawValue))"
        return try .json(ChannelResponse(channel, existsAtAPNs: true), status: .created, headers: [.location: location])
    }

    private func list(_ call: AuthorizedRequest) async throws -> Response {
        let query = try call.query("environment")
        let app = try await call.requireApp()
        let environment = try query["environment"].map(Self.environment) ?? app.defaultEnvironment
        let known = try await self.store.channels(of: app.id, in: environment)
        do {
            let found = try await self.desk.list(app.id, in: environment)
            return try .json(ChannelListResponse(known, in: environment, atAPNs: found))
        } catch let problem as Problem {
            return try .json(ChannelListResponse(known, in: environment, but: problem))
        }
    }

    private static func environment(_ text: String) throws(Problem) -> APNsEnvironment {
        if let environment = APNsEnvironment(rawValue: text) { return environment }
        let rule = "one of 'sandbox', 'production'"
        throw Problem(.invalidRequest, at: .query("environment"), expected: rule, got: "another text")
    }

    private func show(_ call: AuthorizedRequest) async throws -> Response {
        let query = try call.query("verify")
        let verifies: Bool
        switch query["verify"] {
        case nil, "false": verifies = false
        case "true": verifies = true
        default: throw Problem(.invalidRequest, at: .query("verify"), expected: "true or false", got: "another text")
        }
        let app = try await call.requireApp()
        guard let channel = try await self.store.channel(try call.channel(), of: app.id) else {
            throw Problem.unknownChannel
        }
        let existsAtAPNs = verifies ? try await self.desk.existsAtAPNs(channel) : nil
        return try .json(ChannelResponse(channel, existsAtAPNs: existsAtAPNs))
    }

    private func delete(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let app = try await call.requireApp()
        try await self.desk.delete(try call.channel(), of: app.id)
        return Response(status: .noContent)
    }
}

extension AuthorizedRequest {
    /// The channel in the path.
    fileprivate func channel() throws(Problem) -> ChannelName {
        guard let name = self.parameter("channel").flatMap(ChannelName.init(rawValue:)) else { throw .unknownChannel }
        return name
    }
}

/// A channel that is to be made, or taken in.
struct ChannelRequest: Sendable {
    static let members = ["name", "environment", "messageStoragePolicy", "id"]
    var name: ChannelName
    var environment: APNsEnvironment?
    var policy: MessageStoragePolicy?

    /// APNs' identifier of one that is there already.
    var id: APNsChannelID?
}

extension ChannelRequest {
    init(_ body: [UInt8]) throws(Problem) {
        var name: ChannelName?
        var environment: APNsEnvironment?
        var policy: MessageStoragePolicy?
        var id: APNsChannelID?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "name": name = try reader.value(path, ChannelName.init(validating:))
            case "environment": environment = try reader.oneOf(APNsEnvironment.self, path)
            case "messageStoragePolicy": policy = try reader.oneOf(MessageStorageValue.self, path)?.policy
            default: id = try reader.value(path, APNsChannelID.init(_:))
            }
        } finish: { reader in
            reader.require(name, "name").map {
                ChannelRequest(name: $0, environment: environment, policy: policy, id: id)
            }
        }
    }
}

/// The message storage policy of a channel in requests and responses.
enum MessageStorageValue: String, CaseIterable {
    case none

    case mostRecent = "most_recent"

    var policy: MessageStoragePolicy {
        switch self {
        case .none: .noMessage
        case .mostRecent: .mostRecentMessage
        }
    }
}

extension MessageStoragePolicy {
    /// How it is written.
    var word: String {
        switch self {
        case .noMessage: MessageStorageValue.none.rawValue
        case .mostRecentMessage: MessageStorageValue.mostRecent.rawValue
        }
    }
}

/// A channel, as returned by the API.
struct ChannelResponse: Encodable {
    let app: String
    let name: String
    let id: String?
    let environment: APNsEnvironment
    let messageStoragePolicy: String
    let state: String
    let createdAt: Date

    /// Whether APNs has it; `nil` if this was not requested, or its channel ID is unknown.
    let existsAtAPNs: Bool?

    init(_ channel: BroadcastChannel, existsAtAPNs: Bool? = nil) {
        self.app = channel.app.rawValue
        self.name = channel.name.rawValue
        self.id = channel.channelID?.rawValue
        self.environment = channel.environment
        self.messageStoragePolicy = channel.policy.word
        switch channel.state {
        case .creating: self.state = "creating"
        case .active: self.state = "active"
        case .deleting: self.state = "deleting"
        }
        self.createdAt = channel.createdAt
        self.existsAtAPNs = existsAtAPNs
    }
}

/// The channels of an app in one environment, as returned by the API.
struct ChannelListResponse: Encodable {
    /// Why APNs could not be asked.
    struct APNsError: Encodable {
        let code: String
        let detail: String

        init(_ problem: Problem) {
            self.code = problem.code.rawValue
            self.detail = problem.detail
        }
    }

    let environment: APNsEnvironment
    let channels: [ChannelResponse]

    /// The channels of APNs that this server does not know; `nil` if APNs did not respond.
    let unmanaged: [String]?

    /// Why APNs could not be asked; `nil` when it could.
    let apnsError: APNsError?

    /// Creates the list with the channels of the server and of APNs.
    init(_ channels: [BroadcastChannel], in environment: APNsEnvironment, atAPNs ids: [APNsChannelID]) {
        let known = Set(channels.compactMap(\.channelID))
        let found = Set(ids)
        self.environment = environment
        self.channels = channels.map { channel in
            ChannelResponse(channel, existsAtAPNs: channel.channelID.map { found.contains($0) })
        }
        self.unmanaged = ids.filter { !known.contains($0) }.map(\.rawValue)
        self.apnsError = nil
    }

    /// Creates the list with the channels of the server, and the reason why those of APNs are missing.
    init(_ channels: [BroadcastChannel], in environment: APNsEnvironment, but problem: Problem) {
        self.environment = environment
        self.channels = channels.map { ChannelResponse($0) }
        self.unmanaged = nil
        self.apnsError = APNsError(problem)
    }
}

/// On which channel a new activity is to be broadcast, while that is read.
struct BroadcastParser: Sendable {
    static let members = ["channel", "delivery"]
    private var channel: ChannelName?
    private var delivery: PushDeliveryMode?

    /// Parses the value of a member, and records errors.
    mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        if member == "channel" {
            self.channel = try reader.value(path, ChannelName.init(validating:))
        } else {
            self.delivery = try reader.oneOf(PushDeliveryMode.self, path)
        }
    }

    /// Records errors about combinations of members.
    func check(_ reader: inout JSONReader) {
        guard self.delivery == .channel, self.channel == nil, reader.faults.count == 0 else { return }
        reader.faults.add(
            FieldPath.root.member("channel"),
            expected: "the name of a channel, which delivery 'channel' needs",
            got: "none"
        )
    }

    /// The channel as an activity is bound to it; `nil` when it is not to be broadcast.
    ///
    /// - Throws: ``Problem`` `.channelNotFound`, `.channelNotReady`; `StoreError`.
    func channel(of app: AppID, in store: any ChannelStore) async throws -> ActivityChannel? {
        guard let name = self.channel else { return nil }
        guard let channel = try await store.channel(name, of: app) else {
            throw Problem(.channelNotFound, "The app has no channel of the name in `channel`.")
        }
        guard let bound = ActivityChannel(channel, delivery: self.delivery ?? .automatic) else {
            throw Problem.notReady
        }
        return bound
    }
}
