// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import HTTPTypes
import Hummingbird
import PushModel
import PushStore
import SNSProtocol
import Topics

/// The operations on an app's topics and their subscriptions: `/v1/apps/{app}/topics`.
struct TopicRoutes: APIRoutes {
    let store: any AppStore & PublicationStore & SubscriptionStore & TopicStore
    let bodyLimit: Int
    let now: @Sendable () -> Date

    var routes: [APIRoute] {
        let list = "/v1/apps/{app}/topics"
        let single = "\(list)/{topic}"
        let subscriptions = "/v1/apps/{app}/subscriptions"
        let readers: [Scope] = [.devices, .send, .read]
        return [
            APIRoute(.get, list, .scopes(readers), self.list).performing(.listTopics),
            // A request replaces the display name and all tags.
            APIRoute(.put, single, .scopes([.devices]), self.put)
                .performing(.createTopic, .setTopicAttributes, .tagResource, .untagResource),
            APIRoute(.get, single, .scopes(readers), self.show).performing(.getTopicAttributes, .listTagsForResource),
            APIRoute(.delete, single, .scopes([.devices]), self.delete).performing(.deleteTopic),
            APIRoute(.get, "\(single)/subscriptions", .scopes(readers), self.subscribed)
                .performing(.listSubscriptionsByTopic),
            // A request replaces the filter of a subscription.
            APIRoute(.post, "\(single)/subscriptions", .scopes([.devices]), self.subscribe)
                .performing(.subscribe, .setSubscriptionAttributes),
            APIRoute(.get, subscriptions, .scopes(readers), self.subscriptions).performing(.listSubscriptions),
            APIRoute(.get, "\(subscriptions)/{subscription}", .scopes(readers), self.showSubscription).performing(),
            APIRoute(.delete, "\(subscriptions)/{subscription}", .scopes([.devices]), self.unsubscribe).performing(),
        ]
    }

    // MARK: Topics

    private func list(_ call: AuthorizedRequest) async throws -> Response {
        let page = try PageRequest(try call.query("cursor", "limit"))
        let cursor = try page.cursor { TopicName(rawValue: $0) }
        let app = try await call.requireApp()
        let found = try await self.store.topics(of: app.id, after: cursor, limit: page.limit)
        let body = TopicListResponse(topics: found.elements.map { TopicResponse($0) }, nextCursor: found.next?.rawValue)
        return try .json(body)
    }

    private func put(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let name = try call.newTopic()
        let request = try TopicRequest(try await call.body(upTo: self.bodyLimit))
        let app = try await call.requireApp()
        var wanted: [String: String] = [:]
        wanted[TopicRequest.displayName] = request.displayName
        let isOwn = try await self.store.topic(name, of: app.id) != nil
        let made: (topic: PushTopic, isNew: Bool)
        do {
            made = try await self.store.createTopic(
                name,
                attributes: wanted,
                tags: request.tags,
                for: app.id,
                sharing: call.key?.app == nil,
                now: self.now(),
                checking: nil
            )
        } catch is ForeignTopicError {
            throw Problem.sharedTopic(name)
        }
        var topic = made.topic
        request.apply(to: &topic)
        if topic != made.topic {
            try await self.requireControl(of: name, call)
            let changed = try await self.store.changeTopic(name) { request.apply(to: &$0) }
            guard let changed else { throw Problem.unknownTopic }
            topic = changed
        }
        let location = "/v1/apps/\(app.id)/topics/\(name)"
        guard !isOwn else { return try .json(TopicResponse(topic)) }
        return try .json(TopicResponse(topic), status: .created, headers: [.location: location])
    }

    /// Makes sure that a key that is bound to an app changes nothing that others see.
    private func requireControl(of name: TopicName, _ call: AuthorizedRequest) async throws {
        guard call.key?.app != nil, let outline = try await self.store.outline(of: name, app: nil) else { return }
        let app = try call.app()
        guard outline.apps != [app] || !outline.urls.isEmpty else { return }
        throw Problem.sharedTopic(name)
    }

    private func show(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let (app, topic) = try await self.known(call)
        let counts = try await self.store.subscriptionCounts(of: topic.name, app: app)
        return try .json(TopicResponse(topic, counts: counts))
    }

    private func delete(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let (app, topic) = try await self.known(call)
        guard try await self.store.deleteTopic(topic.name, of: app) else { throw Problem.unknownTopic }
        return Response(status: .noContent)
    }

    // MARK: Subscriptions

    private func subscribe(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let name = try call.topic()
        let app = try await call.requireApp()
        let request = try SubscriptionRequest(try await call.body(upTo: self.bodyLimit), app: app.id)
        _ = try await self.known(call)
        let now = Date(millisecondsSince1970: self.now().millisecondsSince1970)
        let draft = Subscription(
            id: SubscriptionID(now: now),
            topic: name,
            subscriber: request.subscriber,
            filter: request.filter,
            createdAt: now
        )
        let limit = PushTopic.maximumPolicies
        switch try await self.store.subscribe(draft, policyLimit: limit) {
        case .created(let subscription):
            let location = "/v1/apps/\(app.id)/subscriptions/\(subscription.id)"
            return try .json(SubscriptionResponse(subscription), status: .created, headers: [.location: location])
        case .existing(let subscription):
            guard subscription.filter != request.filter else { return try .json(SubscriptionResponse(subscription)) }
            do {
                let changed = try await self.store.changeSubscription(subscription.id, policyLimit: limit) {
                    $0.filter = request.filter
                }
                guard let changed else { throw Problem.unknownSubscription }
                return try .json(SubscriptionResponse(changed))
            } catch is TooManyPoliciesError {
                throw Problem.tooManyFilterPolicies
            }
        case .noTopic: throw Problem.unknownTopic
        case .noSubscriber: throw Problem(.deviceNotFound, "The app has no device of this name.")
        // No URL is subscribed here.
        case .tooManyPolicies, .tooManyURLs: throw Problem.tooManyFilterPolicies
        }
    }

    private func subscribed(_ call: AuthorizedRequest) async throws -> Response {
        let page = try PageRequest(try call.query("cursor", "limit"))
        let cursor = try page.cursor { SubscriptionID($0) }
        let (app, topic) = try await self.known(call)
        return try await self.page(page, of: app, to: topic.name, after: cursor)
    }

    private func subscriptions(_ call: AuthorizedRequest) async throws -> Response {
        let page = try PageRequest(try call.query("cursor", "limit"))
        let cursor = try page.cursor { SubscriptionID($0) }
        let app = try await call.requireApp()
        return try await self.page(page, of: app.id, to: nil, after: cursor)
    }

    private func page(
        _ page: PageRequest,
        of app: AppID,
        to topic: TopicName?,
        after cursor: SubscriptionID?
    ) async throws -> Response {
        let found = try await self.store.subscriptions(to: topic, of: app, after: cursor, limit: page.limit)
        return try .json(SubscriptionListResponse(found.elements, nextCursor: found.next))
    }

    private func showSubscription(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        return try .json(SubscriptionResponse(try await self.knownSubscription(call, for: .getSubscriptionAttributes)))
    }

    private func unsubscribe(_ call: AuthorizedRequest) async throws -> Response {
        _ = try call.query()
        let subscription = try await self.knownSubscription(call, for: .unsubscribe)
        guard try await self.store.unsubscribe(subscription.id) != nil else { throw Problem.unknownSubscription }
        return Response(status: .noContent)
    }

    // MARK: Listing

    /// The app in a call's path, and its topic in it.
    private func known(_ call: AuthorizedRequest) async throws -> (app: AppID, topic: PushTopic) {
        let app = try await call.requireApp()
        guard let topic = try await self.store.topic(try call.topic(), of: app.id) else { throw Problem.unknownTopic }
        return (app.id, topic)
    }

    private func knownSubscription(_ call: AuthorizedRequest, for action: SNSAction) async throws -> Subscription {
        let app = try await call.requireApp()
        guard let id = call.parameter("subscription").flatMap({ SubscriptionID($0) }),
            let subscription = try await self.store.subscription(id), subscription.subscriber.app == app.id
        else { throw Problem.unknownSubscription }
        try call.checkPolicy(action, on: subscription.topic.rawValue)
        return subscription
    }
}

extension AuthorizedRequest {
    /// The topic in the path.
    func topic() throws(Problem) -> TopicName {
        guard let name = self.parameter("topic").flatMap(TopicName.init(rawValue:)) else { throw .unknownTopic }
        return name
    }

    /// The name in the path, which may be that of a new topic.
    fileprivate func newTopic() throws(Problem) -> TopicName {
        if let name = self.parameter("topic").flatMap(TopicName.init(rawValue:)) { return name }
        throw Problem(.invalidRequest, at: .parameter("topic"), expected: TopicName.rule, got: "another text")
    }
}

extension Problem {
    /// A key that is bound to an app may not change or get the topic.
    fileprivate static func sharedTopic(_ name: TopicName) -> Problem {
        Problem(
            .topicSharedWithOtherApps,
            "Topic '\(name)' is another app's too or has subscribers outside of apps, and the key is bound to this app."
        )
    }

    static var unknownTopic: Problem { Problem(.topicNotFound, "The app has no topic of the name in the path.") }

    static var unknownSubscription: Problem {
        Problem(.subscriptionNotFound, "The app has no subscription of the id in the path.")
    }

    static var tooManyFilterPolicies: Problem {
        Problem(.tooManyFilterPolicies, "The topic has \(PushTopic.maximumPolicies) distinct filter policies already.")
    }
}

/// A request to create or change a topic.
///
/// Attributes that the SNS endpoint has set are kept.
struct TopicRequest: Sendable {
    static let members = ["displayName", "tags"]

    /// The name of the attribute that all doors know as the name to show.
    static let displayName = "DisplayName"

    /// The display name; `nil` removes it.
    var displayName: String?
    var tags: [String: String] = [:]
}

extension TopicRequest {
    /// Reads the body of a request; one without bytes says nothing of both.
    init(_ body: [UInt8]) throws(Problem) {
        guard !body.isEmpty else { return }
        var displayName: String?
        var tags: [String: String] = [:]
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "displayName": displayName = try reader.string(path, bytes: 1...100)
            default:
                var count = 0
                try reader.eachMember(path) { reader, name, path throws(JSONSyntaxError) in
                    count += 1
                    if !(1...128).contains(name.count) {
                        reader.faults.add(path, expected: "a key of 1 to 128 characters", got: "\(name.count)")
                    }
                    guard let value = try reader.string(path) else { return }
                    if value.count > 256 {
                        reader.faults.add(path, expected: "at most 256 characters", got: "\(value.count)")
                    }
                    tags[name] = value
                }
                if count > PushTopic.maximumTags {
                    reader.faults.add(path, expected: "at most \(PushTopic.maximumTags) tags", got: "\(count)")
                }
            }
        } finish: { _ in
            TopicRequest(displayName: displayName, tags: tags)
        }
    }

    func apply(to topic: inout PushTopic) {
        topic.attributes[Self.displayName] = self.displayName
        topic.tags = self.tags
    }
}

/// A topic, as returned by the API.
struct TopicResponse: Encodable {
    /// How many of the app's devices and users are subscribed to it.
    struct Subscriptions: Encodable {
        let count: Int
    }

    let name: String
    let displayName: String?
    let tags: [String: String]
    let createdAt: Date
    var subscriptions: Subscriptions?

    init(_ topic: PushTopic, counts: SubscriptionCounts? = nil) {
        self.name = topic.name.rawValue
        self.displayName = topic.attributes[TopicRequest.displayName]
        self.tags = topic.tags
        self.createdAt = topic.createdAt
        self.subscriptions = counts.map { Subscriptions(count: $0.confirmed) }
    }
}

/// A part of an app's topics, as returned by the API.
struct TopicListResponse: Encodable {
    let topics: [TopicResponse]
    let nextCursor: String?
}

/// A part of a list of subscriptions, as returned by the API.
struct SubscriptionListResponse: Encodable {
    let subscriptions: [SubscriptionResponse]
    let nextCursor: String?

    init(_ page: [Subscription], nextCursor: SubscriptionID?) {
        self.subscriptions = page.map(SubscriptionResponse.init)
        self.nextCursor = nextCursor?.description
    }
}

/// A subscription of a device or a user, as returned by the API.
struct SubscriptionResponse: Encodable {
    let id: SubscriptionID
    let topic: String
    let device: String?
    let user: String?
    let filter: JSONValue?
    let filterScope: String?
    let createdAt: Date

    init(_ subscription: Subscription) {
        self.id = subscription.id
        self.topic = subscription.topic.rawValue
        switch subscription.subscriber {
        case .device(_, let installation):
            self.device = installation.rawValue
            self.user = nil
        case .user(_, let user):
            self.device = nil
            self.user = user.rawValue
        case .url:
            self.device = nil
            self.user = nil
        }
        self.filter = subscription.filter.flatMap { try? JSONValue(json: Array($0.policy.utf8)) }
        self.filterScope = subscription.filter.map { FilterScopeValue($0.scope).rawValue }
        self.createdAt = subscription.createdAt
    }
}
