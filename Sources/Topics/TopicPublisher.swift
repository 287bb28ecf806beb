// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import Foundation
package import PushModel
package import PushStore
package import SNSProtocol
import Synchronization

/// Publishes to topics, for the API and for the SNS endpoint.
///
/// It evaluates each distinct filter policy of the topic once. The matching policies form an audience, which the store
/// reads by subscription. If that is at most one batch, it is sent immediately as a notification; otherwise it becomes
/// a campaign, which is enqueued page by page.
package struct TopicPublisher: Sendable {
    /// The store of the publisher.
    package typealias Store = AudienceStore & PublicationStore

    private let store: any Store
    private let urgentTargetLimit: Int
    private let cache = FilterPolicyCache()

    /// A notification to at most `urgentTargetLimit` devices waits in the urgent lane unless its content names another.
    package init(store: any Store, urgentTargetLimit: Int) {
        self.store = store
        self.urgentTargetLimit = urgentTargetLimit
    }

    /// Publishes a message; it is durable when this returns.
    ///
    /// `note` creates the response for repetitions of the request, which is stored with the publication.
    ///
    /// - Returns: the result; `nil` if the topic does not exist, or the app does not have it.
    /// - Throws: `StoreError`: `.conflict` if there is a record of the same request; and the errors of `note` and of
    ///   the contents of the draft.
    package func publish(
        _ draft: PublicationDraft,
        now: Date,
        noting note: (TopicPublishResult) throws -> IdempotencyRecord? = { _ in nil }
    ) async throws -> TopicPublishResult? {
        let now = Date(millisecondsSince1970: now.millisecondsSince1970)
        guard let outline = try await self.store.outline(of: draft.topic, app: draft.app) else { return nil }
        let passed = self.passedPolicies(of: outline, by: draft)
        let rule = TopicAudience(
            topic: outline.topic.id,
            policies: [TopicAudience.noPolicy] + outline.policies.filter { passed.contains($0.value) }.map(\.key)
        )
        var publication = Publication()
        for content in try await draft.contents(outline.apps) {
            let part = try await self.part(of: content, for: rule, named: outline.topic.name, now: now)
            if let part { publication.parts.append(part) }
        }
        var receipt = TopicPublishResult(parts: publication.parts, urls: 0)
        if let content = draft.urlContent {
            let recipients = outline.urls.filter { $0.filter.map(passed.contains) ?? true }.map(\.id)
            if !recipients.isEmpty {
                let id = receipt.notifications.first ?? NotificationID(now: now)
                publication.message = TopicMessage(
                    id: id.value,
                    topic: outline.topic.name,
                    content: try content(),
                    createdAt: now
                )
                publication.recipients = recipients
                receipt.message = id
            }
        }
        receipt.urls = publication.recipients.count
        receipt.fullQueues = try await self.store.publish(publication, noting: try note(receipt))
        receipt.urls -= receipt.fullQueues
        return receipt
    }

    private func passedPolicies(of outline: TopicSummary, by draft: PublicationDraft) -> Set<SubscriptionFilter> {
        guard !outline.policies.isEmpty else { return [] }
        let filters = Set(outline.policies.values)
        let looksIntoBody = filters.contains { $0.scope == .messageBody }
        let message = FilterableMessage(attributes: draft.attributes, body: looksIntoBody ? draft.body : nil)
        return filters.filter { self.cache.policy($0)?.matches(message) ?? false }
    }

    /// Returns the notification or campaign for the subscribers of one app; `nil` if no subscriber matches.
    private func part(
        of content: AppMessage,
        for rule: TopicAudience,
        named topic: TopicName,
        now: Date
    ) async throws -> Publication.Part? {
        let subscribers = Audience.subscribers(rule)
        let audience = content.audience.map { .and([subscribers, $0]) } ?? subscribers
        let members = try await self.store.members(
            of: audience,
            app: content.app,
            in: AudienceRange(),
            limit: Batch.maximumTargets,
            depth: content.message.depth
        )
        guard !members.isEmpty else { return nil }
        let parts = content.message.compose(members)
        // The scheduler records the failures of devices in a campaign.
        guard members.count < Batch.maximumTargets, parts.allSatisfy({ $0.failure == nil }) else {
            return .campaign(
                Campaign(
                    id: CampaignID(now: now),
                    app: content.app,
                    name: String("topic \(topic)".prefix(256)),
                    audience: audience,
                    message: content.message,
                    expiresAt: content.expiresAt,
                    createdAt: now
                )
            )
        }
        let headers = try content.message.headers(for: content.app, sentAt: now)
        let lane = content.lane ?? (members.count <= self.urgentTargetLimit ? .urgent : .bulk)
        let plan = BatchedNotification(
            app: content.app,
            parts: parts.map { part in
                BatchedNotification.Part(
                    lane: lane,
                    headers: headers,
                    payload: part.payload,
                    targets: part.targets,
                    expiresAt: content.expiresAt
                )
            },
            now: now
        )
        return .notification(plan.notification, plan.batches)
    }
}

/// A cache of compiled filter policies, so that those of a topic are not compiled for each message.
final class FilterPolicyCache: Sendable {
    /// How many compiled policies are kept; when there are more, all are forgotten.
    private static let capacity = 2 * PushTopic.maximumPolicies

    /// Stored text is hashed as bytes; see `String.isStreamSafe`.
    private struct Key: Hashable {
        let policy: [UInt8]
        let scope: SubscriptionFilter.Scope
    }

    private let policies = Mutex<[Key: FilterPolicy]>([:])

    /// The compiled policy; `nil` for one that cannot be read, and so matches nothing.
    func policy(_ filter: SubscriptionFilter) -> FilterPolicy? {
        let key = Key(policy: Array(filter.policy.utf8), scope: filter.scope)
        if let known = self.policies.withLock({ $0[key] }) { return known }
        // Stored policies were checked against the limits of their time.
        guard let text = try? JSONScanner.repairedObject(key.policy) else { return nil }
        let readable = SubscriptionFilter(policy: String(decoding: text, as: UTF8.self), scope: filter.scope)
        guard let policy = try? readable.compiled(limits: .extended) else { return nil }
        self.policies.withLock { policies in
            if policies.count >= Self.capacity { policies.removeAll(keepingCapacity: true) }
            policies[key] = policy
        }
        return policy
    }
}

extension SubscriptionFilter {
    /// Compiles the policy.
    ///
    /// - Throws: `SNSError` `InvalidParameter` with the error.
    package func compiled(limits: SNSLimits) throws(SNSError) -> FilterPolicy {
        try FilterPolicy(json: self.policy, scope: self.policyScope, limits: limits, at: .single)
    }

    private var policyScope: FilterPolicy.Scope {
        switch self.scope {
        case .messageAttributes: .messageAttributes
        case .messageBody: .messageBody
        }
    }
}
