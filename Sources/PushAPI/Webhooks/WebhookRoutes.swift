// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
package import PushModel
import PushStore

/// The operations on webhooks: `/v1/apps/{app}/webhooks`.
struct WebhookRoutes: APIRoutes {
    /// The most webhooks of one app.
    private static let maximumWebhooks = 20

    let store: any AppStore & EventStore & WebhookStore
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

    private func create(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let body = try await call.body(upTo: self.configuration.maximumBodyBytes)
        let request = try CreateWebhookRequest(body, configuration: self.configuration)
        let app = try await call.requireApp()
        guard let masterKey else { throw Problem(.masterKeyMissing, ProblemCode.masterKeyMissing.entry.meaning) }
        guard try await self.store.webhooks(of: app.id).count < Self.maximumWebhooks else {
            throw Problem(.tooManyWebhooks, "The app has \(Self.maximumWebhooks) webhooks, which is the maximum.")
        }
        let id = WebhookID.random()
        let secret = WebhookSecret.generate()
        let webhook = Webhook(
            id: id,
            app: app.id,
            url: request.url,
            kinds: request.eventTypes,
            sealedSecret: masterKey.seal(secret, for: id),
            createdAt: Date(millisecondsSince1970: self.now().millisecondsSince1970),
            cursor: try await self.store.latestEvent(of: app.id)
        )
        try await self.store.createWebhook(webhook)
        let location = "/v1/apps/\(app.id)/webhooks/\(id)"
        return try .json(WebhookResponse(webhook, secret: secret), status: .created, headers: [.location: location])
    }

    private func list(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let app = try await call.requireApp()
        let webhooks = try await self.store.webhooks(of: app.id)
        return try .json(WebhookListResponse(webhooks: webhooks.map { WebhookResponse($0) }))
    }

    private func show(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        return try .json(WebhookResponse(try await self.webhook(call)))
    }

    private func change(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let body = try await call.body(upTo: self.configuration.maximumBodyBytes)
        let patch = try UpdateWebhookRequest(body, configuration: self.configuration)
        return try await self.apply(patch.changes, call)
    }

    private func enable(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        return try await self.apply([.activate], call)
    }

    private func delete(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let webhook = try await self.webhook(call)
        guard try await self.store.deleteWebhook(webhook.id) else { throw Problem.unknownWebhook }
        return Response(status: .noContent)
    }

    private func test(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let webhook = try await self.webhook(call)
        let answer = await self.tester?.test(webhook) ?? WebhookAttemptResult(failure: .unavailable)
        return try .json(WebhookAttemptResultResponse(answer))
    }

    private func deliveries(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let webhook = try await self.webhook(call)
        let deliveries = try await self.store.webhookDeliveries(of: webhook.id, limit: 100)
        return try .json(WebhookDeliveryListResponse(deliveries: deliveries.map(WebhookDeliveryResponse.init)))
    }

    private func apply(_ changes: [WebhookUpdate], _ call: AuthorizedRequest) async throws -> Response {
        let webhook = try await self.webhook(call)
        guard let changed = try await self.store.changeWebhook(webhook.id, changes, now: self.now()) else {
            throw Problem.unknownWebhook
        }
        return try .json(WebhookResponse(changed))
    }

    /// The webhook in the path, which has to be one of the app in the path.
    private func webhook(_ call: AuthorizedRequest) async throws -> Webhook {
        let app = try await call.requireApp()
        guard let id = call.parameter("webhook").flatMap(WebhookID.init(rawValue:)),
            let webhook = try await self.store.webhook(id), webhook.app == app.id
        else { throw Problem.unknownWebhook }
        return webhook
    }
}

extension Problem {
    static var unknownWebhook: Problem {
        Problem(.webhookNotFound, "The app has no webhook of the id in the path.")
    }
}

/// A request to create a webhook.
struct CreateWebhookRequest: Sendable {
    static let members = ["url", "eventTypes"]
    var url: WebhookURL
    var eventTypes: Set<EventType>?
}

extension CreateWebhookRequest {
    /// Reads the body of a request.
    ///
    /// - Throws: ``Problem`` with every fault of the request.
    init(_ body: [UInt8], configuration: PushAPIConfiguration) throws(Problem) {
        var url: WebhookURL?
        var eventTypes: Set<EventType>?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "url": url = try Self.url(&reader, path, configuration)
            case "eventTypes": eventTypes = try Self.eventTypes(&reader, path)
            default: try reader.skip()
            }
        } finish: { reader in
            reader.require(url, "url").map { CreateWebhookRequest(url: $0, eventTypes: eventTypes) }
        }
    }

    /// Reads the URL for events; an `http` URL and a private address are faults unless the configuration allows them.
    static func url(
        _ reader: inout JSONReader,
        _ path: FieldPath,
        _ configuration: PushAPIConfiguration
    ) throws(JSONSyntaxError) -> WebhookURL? {
        guard let url = try reader.value(path, WebhookURL.init(validating:)) else { return nil }
        let isInsecure = !url.isSecure && !configuration.allowsInsecureWebhooks
        if isInsecure {
            reader.faults.add(path, expected: WebhookURL.rule, got: "an http URL, which webhooks.allowHTTP would allow")
        }
        let isPrivate = url.hasPrivateAddress && !configuration.allowsPrivateNetworks
        if isPrivate {
            let value = "a private or loopback address, which webhooks.allowPrivateNetworks would allow"
            reader.faults.add(path, expected: "a host name or an address on the public internet", got: value)
        }
        return isInsecure || isPrivate ? nil : url
    }

    /// Reads event types; at least one.
    static func eventTypes(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> Set<EventType>? {
        var types: Set<EventType> = []
        let count = try reader.array(path) { reader, index throws(JSONSyntaxError) in
            let type = try reader.value(path.element(index)) { text throws(InvalidValueError) in
                try EventType(text, among: EventType.forWebhooks)
            }
            if let type { types.insert(type) }
        }
        if count == 0 { reader.faults.add(path, expected: "at least one type", got: "an empty array") }
        if types.count > 64 { reader.faults.add(path, expected: "at most 64 types", got: "\(types.count)") }
        return types.isEmpty ? nil : types
    }
}

/// A request to change a webhook.
struct UpdateWebhookRequest: Sendable {
    /// The states that a caller may set.
    private enum State: String, CaseIterable {
        case active
        case paused
    }

    static let members = ["url", "eventTypes", "allEventTypes", "state"]
    let changes: [WebhookUpdate]
}

extension UpdateWebhookRequest {
    /// Reads the body of a request; at least one member has to be there.
    ///
    /// - Throws: ``Problem`` with every fault of the request.
    init(_ body: [UInt8], configuration: PushAPIConfiguration) throws(Problem) {
        var url: WebhookURL?
        var eventTypes: Set<EventType>?
        var allEventTypes: Bool?
        var state: State?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "url": url = try CreateWebhookRequest.url(&reader, path, configuration)
            case "eventTypes": eventTypes = try CreateWebhookRequest.eventTypes(&reader, path)
            case "allEventTypes": allEventTypes = try reader.boolean(path)
            case "state": state = try reader.oneOf(State.self, path)
            default: try reader.skip()
            }
        } finish: { reader in
            if eventTypes != nil, allEventTypes == true {
                reader.faults.add(.root, expected: "one of the members 'eventTypes', 'allEventTypes'", got: "both")
            }
            var changes: [WebhookUpdate] = []
            if let url { changes.append(.url(url)) }
            if let eventTypes { changes.append(.kinds(eventTypes)) }
            if allEventTypes == true { changes.append(.kinds(nil)) }
            if let state { changes.append(state == .active ? .activate : .pause) }
            if changes.isEmpty, reader.faults.count == 0 {
                reader.faults.add(.root, expected: "something to change", got: "nothing")
            }
            return UpdateWebhookRequest(changes: changes)
        }
    }
}

/// Sends a test event to a webhook.
///
/// The API itself sends nothing; its creator passes a tester.
package protocol WebhookTester: Sendable {
    /// Sends an event of the type `webhook.test`.
    ///
    /// - Returns: the response of the webhook, or the reason why there was none.
    func test(_ webhook: Webhook) async -> WebhookAttemptResult
}
