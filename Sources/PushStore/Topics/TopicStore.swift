// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel

/// The topics, for the API and for the SNS endpoint.
///
/// `app` restricts a call to the topics of an app; `nil` means all, for callers that are not bound to an app.
public protocol TopicStore: Sendable {
    /// Creates a topic unless there is one of that name, which stays as it is.
    ///
    /// The app has the topic afterwards, new or not. `check` is called with a known topic. If it throws, the app does
    /// not get the topic. Without `sharing`, the app does not get a topic that another app has, or that has URLs.
    /// - Throws: ``StoreError``; ``ForeignTopicError`` without `sharing`; and the errors of `check`.
    func createTopic(
        _ name: TopicName,
        attributes: [String: String],
        tags: [String: String],
        for app: AppID?,
        sharing: Bool,
        now: Date,
        checking check: (@Sendable (PushTopic) throws -> Void)?
    ) async throws -> (topic: PushTopic, isNew: Bool)

    func topic(_ name: TopicName, of app: AppID?) async throws -> PushTopic?

    func topics(of app: AppID?, after cursor: TopicName?, limit: Int) async throws -> Page<PushTopic, TopicName>

    /// Changes attributes and tags in one transaction; `change` may run more than once, and may throw.
    func changeTopic(
        _ name: TopicName,
        _ change: @escaping @Sendable (inout PushTopic) throws -> Void
    ) async throws -> PushTopic?

    /// Deletes a topic with its subscriptions, for one app or for all; one that no app has afterwards is deleted
    /// entirely.
    ///
    /// Its name is free when this returns, and its publications are planned no further. The rows of its subscriptions
    /// are removed by ``pruneTopics(pendingBefore:limit:)``, because they may be very many.
    @discardableResult
    func deleteTopic(_ name: TopicName, of app: AppID?) async throws -> Bool

    /// Counts the subscriptions of a topic, which takes about 50 ms for a million.
    func subscriptionCounts(of name: TopicName, app: AppID?) async throws -> SubscriptionCounts?

    /// Removes rows of deleted topics, and unconfirmed subscriptions from before `time`; returns whether more are left.
    ///
    /// `limit` is the maximum number of rows in the transaction, 100...10,000.
    func pruneTopics(pendingBefore time: Date, limit: Int) async throws -> Bool
}

/// The name of a new topic of an app is that of a topic of another app.
public struct ForeignTopicError: Error, Hashable, CustomStringConvertible {
    public let topic: TopicName

    public init(topic: TopicName) { self.topic = topic }

    public var description: String { "The topic '\(self.topic)' belongs to another app, or has subscribed URLs." }
}

extension TopicStore {
    /// Creates a topic that the app may share with others.
    public func createTopic(
        _ name: TopicName,
        attributes: [String: String],
        tags: [String: String],
        for app: AppID?,
        now: Date,
        checking check: (@Sendable (PushTopic) throws -> Void)?
    ) async throws -> (topic: PushTopic, isNew: Bool) {
        try await self.createTopic(
            name,
            attributes: attributes,
            tags: tags,
            for: app,
            sharing: true,
            now: now,
            checking: check
        )
    }
}

extension PushTopic {
    package init(stored row: StoredRow) throws {
        self.init(
            id: TopicID(rawValue: try row.int64("number")),
            name: try row.identifier("name"),
            attributes: try StoredJSON.decodeTexts(row.string("attributes"), "attributes"),
            tags: try StoredJSON.decodeTexts(row.string("tags"), "attributes"),
            createdAt: try row.date("created_at")
        )
    }
}

public struct TopicSummary: Hashable, Sendable {
    /// The most URLs that a topic is posted to.
    public static let maximumURLs = 10_000

    public var topic: PushTopic

    /// The apps that have it, in the order of their ids.
    public var apps: [AppID]

    /// Its distinct filter policies by their numbers, as `TopicAudience` takes them.
    public var policies: [Int64: SubscriptionFilter]

    /// The confirmed subscriptions of URLs, at most ``maximumURLs``, in the order in which they were made.
    public var urls: [Subscription]

    public init(topic: PushTopic, apps: [AppID], policies: [Int64: SubscriptionFilter], urls: [Subscription]) {
        self.topic = topic
        self.apps = apps
        self.policies = policies
        self.urls = urls
    }

    /// Whether it belongs to an app: the app has it, or no app has it.
    package func belongs(to app: AppID) -> Bool { self.apps.isEmpty || self.apps.contains(app) }
}
