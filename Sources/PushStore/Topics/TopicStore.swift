// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The topics: what is published to, by whichever door.
///
/// `app` restricts a call to what an app has; `nil` is the server as a whole, for callers that are bound to no app.
public protocol TopicStore: Sendable {
    /// Makes a topic unless there is one of that name, which stays as it is.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - attributes: what is set, if it is new.
    ///   - tags: its labels, if it is new.
    ///   - app: the app that has it by this, whether or not it is new; `nil` for none.
    ///   - now: when it is made.
    ///   - check: looks at a topic that is there already; when it throws, the app does not have it by this.
    /// - Returns: the topic as it stands, and whether it is new.
    /// - Throws: ``StoreError`` `.notFound` when there is no such app; what `check` throws.
    func createTopic(
        _ name: TopicName,
        attributes: [String: String],
        tags: [String: String],
        for app: AppID?,
        now: Date,
        checking check: @escaping @Sendable (PushTopic) throws -> Void
    ) async throws -> (topic: PushTopic, isNew: Bool)

    /// A topic; `nil` when there is none of that name, or the app does not have it.
    func topic(_ name: TopicName, of app: AppID?) async throws -> PushTopic?

    /// The topics in the order of their names.
    ///
    /// - Parameters:
    ///   - app: whose; `nil` for all.
    ///   - cursor: the name behind which to begin; `nil` begins at the first.
    ///   - limit: the most topics to answer, 1...1000.
    /// - Returns: a page of topics.
    /// - Throws: ``StoreError``.
    func topics(of app: AppID?, after cursor: TopicName?, limit: Int) async throws -> Page<PushTopic, TopicName>

    /// Changes attributes and tags of a topic in one transaction.
    ///
    /// - Parameters:
    ///   - name: the topic.
    ///   - change: what to change; it may run more than once, and when it throws nothing is changed.
    /// - Returns: the topic as it stands now; `nil` when there is none of that name.
    /// - Throws: ``StoreError``, and what `change` throws.
    func changeTopic(
        _ name: TopicName,
        _ change: @escaping @Sendable (inout PushTopic) throws -> Void
    ) async throws -> PushTopic?

    /// Deletes a topic, with all that is subscribed to it, or for one app only, with what of the app is subscribed.
    ///
    /// It is gone when this returns, its name free, and nothing more that was published to it is planned. The rows of its
    /// subscriptions are removed by ``pruneTopics(pendingBefore:limit:)``, so that nothing waits behind very many of them.
    /// - Parameters:
    ///   - name: the topic.
    ///   - app: for which app; a topic that no app has any more is deleted entirely. `nil` deletes it for all.
    /// - Returns: whether there was one that the app had.
    /// - Throws: ``StoreError``.
    @discardableResult
    func deleteTopic(_ name: TopicName, of app: AppID?) async throws -> Bool

    /// How many subscriptions a topic has; `nil` when there is none of that name, or the app does not have it.
    ///
    /// They are counted, which takes about 50 ms for a million.
    func subscriptionCounts(of name: TopicName, app: AppID?) async throws -> SubscriptionCounts?

    /// Removes what is left of topics that were deleted, and subscriptions that waited too long for their confirmation, in one
    /// short transaction.
    ///
    /// - Parameters:
    ///   - time: subscriptions that are older than this and still wait for their confirmation are removed.
    ///   - limit: the most rows to remove, 100...10,000.
    /// - Returns: whether there may be more.
    /// - Throws: ``StoreError``.
    func pruneTopics(pendingBefore time: Date, limit: Int) async throws -> Bool
}

extension TopicStore {
    /// Makes a topic unless there is one of that name, whatever that is like; see ``createTopic(_:attributes:tags:for:now:checking:)``.
    public func createTopic(
        _ name: TopicName,
        attributes: [String: String],
        tags: [String: String],
        for app: AppID?,
        now: Date
    ) async throws -> (topic: PushTopic, isNew: Bool) {
        try await self.createTopic(name, attributes: attributes, tags: tags, for: app, now: now) { _ in }
    }
}
