// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore
import Work

/// The operations on campaigns: `/v1/apps/{app}/campaigns`.
struct CampaignRoutes: APIRoutes {
    typealias Store = AppStore & AudienceStore & CampaignStore & DeviceStore & CampaignProgressReader.Store
        & SendRequestHandler.Store

    let store: any Store
    let signals: ChangeHub<NotificationID>
    let waiter: SettlementWaiter
    let configuration: PushAPIConfiguration
    let metrics: AcceptanceMetrics
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    private let reader: CampaignProgressReader

    init(
        store: any Store,
        signals: ChangeHub<NotificationID>,
        waiter: SettlementWaiter,
        configuration: PushAPIConfiguration,
        metrics: AcceptanceMetrics,
        clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Date
    ) {
        self.store = store
        self.signals = signals
        self.waiter = waiter
        self.configuration = configuration
        self.metrics = metrics
        self.clock = clock
        self.now = now
        self.reader = CampaignProgressReader(store: store, now: now)
    }

    var routes: [APIRoute] {
        let list = "/v1/apps/{app}/campaigns"
        let single = "\(list)/{campaign}"
        return [
            APIRoute(.post, list, .scopes([.campaigns]), self.create),
            APIRoute(.get, list, .scopes([.campaigns, .read]), self.list),
            APIRoute(.post, "\(list):estimate", .scopes([.campaigns, .read]), self.estimate),
            APIRoute(.get, single, .scopes([.campaigns, .read]), self.show),
            APIRoute(.get, "\(single)/progress", .scopes([.campaigns, .read]), self.progress),
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
            APIRoute(.post, "\(single):test", .scopes([.campaigns]), self.test),
        ]
    }

    private func create(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let body = try await call.body(upTo: self.configuration.maximumNotificationBodyBytes)
        let app = try await call.requireApp()
        return try await CampaignCreation(store: self.store).once(call, body: body) {
            let now = self.now()
            let campaign = try CampaignRequest(body, app: app.id, now: now).campaign(of: app.id, now: now)
            return try CampaignCreation.Draft(campaign, under: "/v1/apps/\(app.id)/campaigns") { CampaignResponse($0) }
        }
    }

    private func list(_ call: AuthorizedRequest) async throws -> Response {
        let page = try PageRequest(try call.query("cursor", "limit"))
        let cursor = try page.cursor { CampaignID($0) }
        let app = try await call.requireApp()
        let campaigns = try await self.store.campaigns(of: app.id, after: cursor, limit: page.limit) {
            $0.tokenValidation == nil
        }
        let bodies = campaigns.elements.map { CampaignResponse($0) }
        return try .json(CampaignListResponse(campaigns: bodies, nextCursor: campaigns.next?.description))
    }

    private func estimate(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        // The body is parsed within the share, too: an audience of many conditions costs processor time.
        return try await call.estimating {
            let request = try EstimateAudienceRequest(
                try await call.body(upTo: self.configuration.maximumNotificationBodyBytes)
            )
            let app = try await call.requireApp()
            let count = try await self.store.count(of: request.audience, app: app.id, through: nil)
            return try Response.json(EstimateResponse(count: count))
        }
    }

    private func show(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let status = try await self.status(call)
        return try .json(CampaignResponse(status, progress: try await self.reader.progress(status)))
    }

    private func progress(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let status = try await self.status(call)
        let accepted = call.request.headers[.accept] ?? ""
        guard accepted.contains("text/event-stream") else {
            return try .json(try await self.reader.progress(status))
        }
        let stream = CampaignProgressStream(
            store: self.store,
            reader: self.reader,
            clock: self.clock,
            interval: self.configuration.progressInterval,
            refusal: call.refusal
        )
        return Response(
            status: .ok,
            headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
            body: stream.body(of: status.campaign.id, within: try call.share(of: .feed))
        )
    }

    private func test(_ call: AuthorizedRequest) async throws -> Response {
        let waits = try call.waits()
        let body = try await call.body(upTo: self.configuration.maximumBodyBytes)
        let campaign = try await self.status(call).campaign
        let sending = SendRequestHandler(
            store: self.store,
            signals: self.signals,
            waiter: self.waiter,
            metrics: self.metrics,
            waits: waits
        )
        let tester = CampaignTestSender(store: self.store, sending: sending)
        return try await tester.once(call, body: body, of: campaign, now: self.now)
    }

    /// Brings a campaign into one of some states; one that is there already is left as it is.
    private func steer(
        _ call: AuthorizedRequest,
        to states: [CampaignState],
        _ change: (CampaignID, Date) async throws -> CampaignStatus?
    ) async throws -> Response {
        _ = try call.query()
        let id = try await self.status(call).campaign.id
        guard let status = try await change(id, self.now()) else { throw Problem.unknownCampaign }
        guard states.contains(status.lifecycle.state) else {
            let state = status.lifecycle.state.name
            throw Problem(.campaignCompleted, "The campaign is \(state), which is final.")
        }
        return try .json(CampaignResponse(status, progress: try await self.reader.progress(status)))
    }

    /// The campaign in a call's path, which has to be of the app in it.
    private func status(_ call: AuthorizedRequest) async throws -> CampaignStatus {
        guard let id = call.parameter("campaign").flatMap({ CampaignID($0) }),
            let status = try await self.store.campaign(id), status.campaign.app == (try call.app()),
            status.campaign.tokenValidation == nil
        else { throw Problem.unknownCampaign }
        return status
    }
}

extension Problem {
    static var unknownCampaign: Problem {
        Problem(.campaignNotFound, "The app has no campaign of the id in the path.")
    }
}

/// How a campaign or a token validation is created: once for each request that its caller named.
struct CampaignCreation: Sendable {
    /// A campaign that is asked for, and the answer once it is stored.
    struct Draft: Sendable {
        let campaign: Campaign
        let answer: IdempotencyRecord.Answer

        init(_ campaign: Campaign, under path: String, _ body: (CampaignStatus) throws -> some Encodable) throws {
            let status = CampaignStatus(
                campaign: campaign,
                lifecycle: CampaignLifecycle(campaign),
                counts: OutcomeCounts()
            )
            self.campaign = campaign
            self.answer = try IdempotencyRecord.Answer(
                try body(status),
                status: .created,
                location: "\(path)/\(campaign.id)"
            )
        }
    }

    typealias Store = CampaignStore & IdempotencyStore

    let store: any Store

    /// Creates the campaign, or replays the stored response of an earlier execution.
    ///
    /// It does not call `draft` for a repetition, because the times in it may have passed by then.
    /// - Returns: 201.
    /// - Throws: ``Problem``, and the errors of the store and of `draft`.
    func once(_ call: AuthorizedRequest, body: [UInt8], _ draft: () async throws -> Draft) async throws -> Response {
        let once = try IdempotentRequest(call, body: body, store: self.store)
        if let once, let record = try await once.earlier() { return Response(record.answer, isReplayed: true) }
        let draft = try await draft()
        let campaign = draft.campaign
        let record = once?.record(of: campaign.id.notification, answer: draft.answer, createdAt: campaign.createdAt)
        do {
            try await self.store.createCampaign(campaign, noting: record)
        } catch let error as StoreError where error.code == .conflict {
            // The same request came a second time while this one was on its way.
            guard let once, let record = try await once.earlier() else { throw error }
            return Response(record.answer, isReplayed: true)
        }
        return Response(draft.answer)
    }
}
