// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore

/// The operations on quarantined items of work: `/v1/quarantine`.
///
/// A key that is bound to an app lists and changes only items of that app.
struct QuarantineRoutes: APIRoutes {
    let store: any CampaignStore & NotificationStore & QuarantineStore & RolloutStore & WebhookStore
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        let list = "/v1/quarantine"
        let single = "\(list)/{number}"
        return [
            APIRoute(.get, list, .scopesForOwnItems([.read]), self.list),
            APIRoute(.delete, single, .scopesForOwnItems([.admin]), self.remove),
            APIRoute(.post, "\(single):repeat", .scopesForOwnItems([.admin]), self.repeatItem),
        ]
    }

    private func list(_ call: AuthorizedRequest) async throws -> Response {
        let query = try call.query("app", "type", "cursor", "limit")
        let page = try PageRequest(query)
        let cursor = try page.cursor { Int64($0) }
        let found = try await self.store.quarantinedItems(
            of: try Self.app(query["app"], key: call.key),
            kind: try Self.type(query["type"]),
            after: cursor,
            limit: page.limit
        )
        let items = found.elements.map(QuarantinedItemBody.init)
        return try .json(QuarantineBody(items: items, nextCursor: found.next.map { String($0) }))
    }

    /// The app whose items are listed; `nil` for all apps and for items of no app.
    private static func app(_ text: String?, key: APIKey?) throws(Problem) -> AppID? {
        guard let text else { return key?.app }
        guard let app = AppID(rawValue: text) else {
            let found = "\(text.utf8.count) bytes of another form"
            throw Problem(.invalidRequest, at: .query("app"), expected: AppID.rule, got: found)
        }
        if let refusal = key?.refusal(to: .read, app: app) { throw Problem(refusal, scopes: [.read]) }
        return app
    }

    private static func type(_ text: String?) throws(Problem) -> WorkKind? {
        guard let text else { return nil }
        if let kind = WorkKind(rawValue: text) { return kind }
        let rule = "one of \(WorkKind.allCases.map(\.rawValue).joined(separator: ", "))"
        throw Problem(.invalidRequest, at: .query("type"), expected: rule, got: "'\(text.prefix(64))'")
    }

    private func repeatItem(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let item = try await self.item(call)
        let now = self.now()
        if item.kind == .batch { throw try await self.problem(ofBatch: item) }
        // First, because its interruptions count from zero. If the next step fails, the item is paused.
        guard let repeated = try await self.store.repeatQuarantinedItem(item.number, now: now) else {
            throw Problem.unknownQuarantinedItem
        }
        switch item.kind {
        case .campaign:
            if let id = CampaignID(item.item) { _ = try await self.store.resumeCampaign(id, now: now) }
        case .webhook:
            if let id = WebhookID(rawValue: item.item) {
                _ = try await self.store.changeWebhook(id, [.activate], now: now)
            }
        // A run does not name its job, so the caller starts the next run.
        case .batch, .rollout, .jobRun, .topicDelivery, .endpointEvent, .activity: break
        }
        return try .json(QuarantinedItemBody(repeated))
    }

    private func problem(ofBatch item: QuarantinedItem) async throws -> Problem {
        guard let id = APNsID(canonical: item.item).flatMap({ BatchID($0) }),
            let batch = try await self.store.batch(id)
        else { return Problem(.batchNotRepeatable, "Batch \(item.item) has failed, and is no longer stored.") }
        return Problem(
            .batchNotRepeatable,
            "Batch \(item.item) has failed. Send notification \(batch.notification) again with ':resend'."
        )
    }

    private func remove(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let item = try await self.item(call)
        let now = self.now()
        if item.kind == .campaign, let id = CampaignID(item.item) {
            _ = try await self.store.cancelCampaign(id, now: now)
        }
        if item.kind == .rollout, let id = RolloutID(item.item) {
            try await self.store.release(id, planner: nil, as: .failed(reason: "removed from quarantine"), now: now)
        }
        guard try await self.store.removeQuarantinedItem(item.number, now: now) != nil else {
            throw Problem.unknownQuarantinedItem
        }
        return Response(status: .noContent)
    }

    /// The item in the path, which the key may see.
    private func item(_ call: AuthorizedRequest) async throws -> QuarantinedItem {
        guard let number = call.parameter("number").flatMap({ Int64($0) }),
            let item = try await self.store.quarantinedItem(number),
            call.key?.app == nil || call.key?.app == item.app
        else { throw Problem.unknownQuarantinedItem }
        return item
    }
}

extension Problem {
    fileprivate static var unknownQuarantinedItem: Problem {
        Problem(.quarantinedItemNotFound, "No quarantined item that the key may see has the number in the path.")
    }
}

/// A quarantined item as the API returns it.
struct QuarantinedItemBody: Encodable {
    let number: Int64
    let type: String
    let item: String
    let app: String?
    let reason: String
    let time: Date

    init(_ item: QuarantinedItem) {
        self.number = item.number
        self.type = item.kind.rawValue
        self.item = item.item
        self.app = item.app?.rawValue
        self.reason = item.reason.rawValue
        self.time = item.time
    }
}

/// A page of quarantined items as the API returns it.
struct QuarantineBody: Encodable {
    let items: [QuarantinedItemBody]
    let nextCursor: String?
}
