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

/// The operations on webhooks: `/v1/apps/{app}/webhooks`.
struct WebhookRoutes: APIRoutes {
    /// The most webhooks of one app.
    private static let maximumWebhooks = 20

    let store: any PushStore
    let tester: (any WebhookTester)?
    let masterKey: MasterKey?
    let configuration: PushAPIConfiguration
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        let list = "/v1/apps/{app}/webhooks"
        let single = "\(list)/{webhook}"
        return [
            APIRoute(.post, list, .scopes([.admin]), self.create),
            APIRoute(.get, list, .scopes([.admin]), self.list),
            APIRoute(.get, single, .scopes([.admin]), self.show),
            APIRoute(.patch, single, .scopes([.admin]), self.change),
            APIRoute(.delete, single, .scopes([.admin]), self.delete),
            APIRoute(.post, "\(single):test", .scopes([.admin]), self.test),
            APIRoute(.post, "\(single):enable", .scopes([.admin]), self.enable),
            APIRoute(.get, "\(single)/deliveries", .scopes([.admin]), self.deliveries),
        ]
    }

    private func create(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let body = try await call.body(upTo: self.configuration.maximumBodyBytes)
        let request = try WebhookRequest(body, allowsInsecure: self.configuration.allowsInsecureWebhooks)
        let app = try await self.store.requireApp(call)
        guard let masterKey else { throw Problem(.masterKeyMissing, ProblemCode.masterKeyMissing.entry.meaning) }
        guard try await self.store.webhooks(of: app.id).count < Self.maximumWebhooks else {
            throw Problem(.tooManyWebhooks, "The app has \(Self.maximumWebhooks) webhooks, as many as it may have.")
        }
        let id = WebhookID.random()
        let secret = WebhookSecret.generate()
        let webhook = Webhook(
            id: id,
            app: app.id,
            url: request.url,
            kinds: request.kinds,
            sealedSecret: masterKey.seal(secret, for: id),
            createdAt: Date(millisecondsSince1970: self.now().millisecondsSince1970),
            cursor: try await self.store.latestEvent(of: app.id)
        )
        try await self.store.createWebhook(webhook)
        let location = "/v1/apps/\(app.id)/webhooks/\(id)"
        return try .json(WebhookBody(webhook, secret: secret), status: .created, headers: [.location: location])
    }

    private func list(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let app = try await self.store.requireApp(call)
        let webhooks = try await self.store.webhooks(of: app.id)
        return try .json(WebhookListBody(webhooks: webhooks.map { WebhookBody($0) }))
    }

    private func show(_ call: APICall) async throws -> Response {
        _ = try call.query()
        return try .json(WebhookBody(try await self.webhook(call)))
    }

    private func change(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let body = try await call.body(upTo: self.configuration.maximumBodyBytes)
        let patch = try WebhookPatch(body, allowsInsecure: self.configuration.allowsInsecureWebhooks)
        return try await self.apply(patch.changes, call)
    }

    private func enable(_ call: APICall) async throws -> Response {
        _ = try call.query()
        return try await self.apply([.activate], call)
    }

    private func delete(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let webhook = try await self.webhook(call)
        guard try await self.store.deleteWebhook(webhook.id) else { throw Problem.unknownWebhook }
        return Response(status: .noContent)
    }

    private func test(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let webhook = try await self.webhook(call)
        let answer = await self.tester?.test(webhook) ?? WebhookAnswer(failure: .unavailable)
        return try .json(WebhookAnswerBody(answer))
    }

    private func deliveries(_ call: APICall) async throws -> Response {
        _ = try call.query()
        let webhook = try await self.webhook(call)
        let deliveries = try await self.store.webhookDeliveries(of: webhook.id, limit: 100)
        return try .json(WebhookDeliveryListBody(deliveries: deliveries.map(WebhookDeliveryBody.init)))
    }

    private func apply(_ changes: [WebhookChange], _ call: APICall) async throws -> Response {
        let webhook = try await self.webhook(call)
        guard let changed = try await self.store.changeWebhook(webhook.id, changes, now: self.now()) else {
            throw Problem.unknownWebhook
        }
        return try .json(WebhookBody(changed))
    }

    /// The webhook in the path, which has to be one of the app in the path.
    private func webhook(_ call: APICall) async throws -> Webhook {
        let app = try await self.store.requireApp(call)
        guard let id = call.parameter("webhook").flatMap(WebhookID.init(rawValue:)),
            let webhook = try await self.store.webhook(id), webhook.app == app.id
        else { throw Problem.unknownWebhook }
        return webhook
    }
}

extension Problem {
    /// There is no webhook of the id in the path.
    static var unknownWebhook: Problem {
        Problem(.webhookNotFound, "The app has no webhook of the id in the path.")
    }
}
