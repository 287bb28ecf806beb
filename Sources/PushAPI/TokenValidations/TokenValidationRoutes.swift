// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// The operations on token validations: `/v1/apps/{app}/token-validations`.
///
/// A token validation is a campaign of silent pushes, with the same lifecycle.
struct TokenValidationRoutes: APIRoutes {
    typealias Store = AppStore & AudienceStore & CampaignCreation.Store & CampaignProgressReader.Store

    let store: any Store
    let configuration: PushAPIConfiguration
    let now: @Sendable () -> Date
    private let reader: CampaignProgressReader

    init(store: any Store, configuration: PushAPIConfiguration, now: @escaping @Sendable () -> Date) {
        self.store = store
        self.configuration = configuration
        self.now = now
        self.reader = CampaignProgressReader(store: store, now: now)
    }

    var routes: [APIRoute] {
        let list = "/v1/apps/{app}/token-validations"
        let single = "\(list)/{validation}"
        return [
            APIRoute(.post, list, .scopes([.campaigns]), self.create),
            APIRoute(.get, list, .scopes([.campaigns, .read]), self.list),
            APIRoute(.get, single, .scopes([.campaigns, .read]), self.show),
            APIRoute(.post, "\(single):pause", .scopes([.campaigns])) { call in
                try await self.steer(call, to: [.paused]) { try await self.store.pauseCampaign($0, now: $1) }
            },
            APIRoute(.post, "\(single):resume", .scopes([.campaigns])) { call in
                try await self.steer(call, to: [.scheduled, .running]) {
                    try await self.store.resumeCampaign($0, now: $1)
                }
            },
            APIRoute(.post, "\(single):cancel", .scopes([.campaigns])) { call in
                try await self.steer(call, to: [.cancelled]) { try await self.store.cancelCampaign($0, now: $1) }
            },
        ]
    }

    private func create(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let body = try await call.body(upTo: self.configuration.maximumNotificationBodyBytes)
        let app = try await call.requireApp()
        return try await CampaignCreation(store: self.store).once(call, body: body) {
            let request = try TokenValidationRequest(body)
            let devices = try await call.estimating {
                try await self.store.count(of: request.audience, app: app.id, through: nil)
            }
            let campaign = try request.campaign(of: app.id, devices: devices, now: self.now())
            return try CampaignCreation.Draft(campaign, under: "/v1/apps/\(app.id)/token-validations") {
                try Self.body($0)
            }
        }
    }

    private func list(_ call: AuthorizedRequest) async throws -> Response {
        let page = try PageRequest(try call.query("cursor", "limit"))
        let cursor = try page.cursor { CampaignID($0) }
        let app = try await call.requireApp()
        let found = try await self.store.campaigns(of: app.id, after: cursor, limit: page.limit) {
            $0.tokenValidation != nil
        }
        let bodies = try found.elements.map { try Self.body($0) }
        return try .json(TokenValidationListResponse(tokenValidations: bodies, nextCursor: found.next?.description))
    }

    private func show(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let status = try await self.status(call)
        let body = try Self.body(
            status,
            ratePerSecond: self.reader.ratePerSecond(status),
            blockedBy: try await self.reader.blockedBy(status),
            deferredUntil: try await self.reader.deferral(status)
        )
        return try .json(body)
    }

    /// Brings a token validation into one of some states; one that is there already is left as it is.
    private func steer(
        _ call: AuthorizedRequest,
        to states: [CampaignState],
        _ change: (CampaignID, Date) async throws -> CampaignStatus?
    ) async throws -> Response {
        _ = try call.query()
        let id = try await self.status(call).campaign.id
        guard let status = try await change(id, self.now()) else { throw Problem.unknownTokenValidation }
        guard states.contains(status.lifecycle.state) else {
            let state = status.lifecycle.state.name
            throw Problem(.tokenValidationEnded, "The token validation is \(state), which is final.")
        }
        return try .json(try Self.body(status))
    }

    /// Returns the token validation in the path, which must belong to the app in the path.
    private func status(_ call: AuthorizedRequest) async throws -> CampaignStatus {
        guard let id = call.parameter("validation").flatMap({ CampaignID($0) }),
            let status = try await self.store.campaign(id), status.campaign.app == (try call.app()),
            status.campaign.tokenValidation != nil
        else { throw Problem.unknownTokenValidation }
        return status
    }

    private static func body(
        _ status: CampaignStatus,
        ratePerSecond: Double? = nil,
        blockedBy pauses: [OpenCircuit] = [],
        deferredUntil: Date? = nil
    ) throws(Problem) -> TokenValidationResponse {
        guard let validation = status.campaign.tokenValidation else { throw Problem.unknownTokenValidation }
        return TokenValidationResponse(
            status,
            validation,
            ratePerSecond: ratePerSecond,
            blockedBy: pauses,
            deferredUntil: deferredUntil
        )
    }
}

extension CampaignStore {
    /// Returns an app's campaigns of one kind, the latest first.
    ///
    /// Campaigns and token validations are in one list; an app has few enough to skip the others.
    func campaigns(
        of app: AppID,
        after cursor: CampaignID?,
        limit: Int,
        where isWanted: (Campaign) -> Bool
    ) async throws -> Page<CampaignStatus, CampaignID> {
        var found: [CampaignStatus] = []
        var next = cursor
        repeat {
            let page = try await self.campaigns(of: app, after: next, limit: limit)
            found += page.elements.filter { isWanted($0.campaign) }
            next = page.next
        } while next != nil && found.count <= limit
        return Page(
            overfull: found.count > limit ? Array(found.prefix(limit + 1)) : found,
            limit: limit,
            cursor: \.campaign.id
        )
    }
}

extension Problem {
    static var unknownTokenValidation: Problem {
        Problem(.tokenValidationNotFound, "The app has no token validation with the ID in the path.")
    }
}

/// A request to create a token validation.
struct TokenValidationRequest: Sendable {
    static let members = ["name", "audience", "durationSeconds", "fixEnvironment", "startAt"]
    var name: String
    var audience: Audience
    var durationSeconds: Int
    var fixEnvironment: Bool
    var startAt: Date?
}

extension TokenValidationRequest {
    /// Reads the body of a request.
    ///
    /// - Throws: ``Problem`` with every fault of the request.
    init(_ body: [UInt8]) throws(Problem) {
        var name: String?
        var audience: Audience?
        var durationSeconds: Int?
        var fixEnvironment = false
        var startAt: Date?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "name": name = try reader.string(path, bytes: 1...256)
            case "audience": audience = try reader.audience(path)
            case "durationSeconds": durationSeconds = try reader.integer(path, in: TokenValidation.durations)
            case "fixEnvironment": fixEnvironment = try reader.boolean(path) ?? false
            case "startAt": startAt = try reader.value(path, Timestamp.parse)
            default: try reader.skip()
            }
        } finish: { reader in
            reader.require(durationSeconds, "durationSeconds").map {
                TokenValidationRequest(
                    name: name ?? "",
                    audience: audience ?? .all,
                    durationSeconds: $0,
                    fixEnvironment: fixEnvironment,
                    startAt: startAt
                )
            }
        }
    }

    /// Returns the campaign that executes the requested token validation.
    ///
    /// - Throws: never, as long as the payload of token validations is one.
    func campaign(of app: AppID, devices: Int, now: Date) throws -> Campaign {
        let now = Date(millisecondsSince1970: now.millisecondsSince1970)
        let id = CampaignID(now: now)
        return try Campaign(
            id: id,
            app: app,
            name: self.name.isEmpty ? id.description : self.name,
            audience: self.audience,
            tokenValidation: TokenValidation(
                durationSeconds: self.durationSeconds,
                devices: devices,
                fixesEnvironment: self.fixEnvironment
            ),
            start: self.startAt.map(CampaignStart.at) ?? .now,
            createdAt: now
        )
    }
}
