// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import SNSProtocol

/// The operations on topics and their tags.
struct SNSTopicHandler: Sendable {
    let store: any PublicationStore & TopicStore
    let limits: SNSLimits
    let pages: SNSPagination
    let now: @Sendable () -> Date

    /// `CreateTopic`, which finds the topic where there is one that agrees.
    func create(_ request: CreateTopicRequest, _ caller: SNSPrincipal) async throws -> SNSResult {
        guard let arn = TopicARN(scope: caller.scope, name: request.name), let name = arn.modelName else {
            throw SNSError.invalidParameter("Topic Name")
        }
        guard !arn.isFIFO else {
            throw SNSError.invalidParameter("Attributes", reason: "FIFO topics are not supported by this server")
        }
        let tags = request.tags.map(Self.tags) ?? [:]
        do {
            _ = try await self.store.createTopic(
                name,
                attributes: request.settings.values,
                tags: tags,
                for: caller.key.app,
                sharing: false,
                now: self.now()
            ) { topic in
                try TopicSettings(stored: topic.attributes).checkAgreement(with: request.settings)
                try TopicSettings.checkAgreement(of: Self.tags(topic.tags), with: request.tags)
            }
        } catch is ForeignTopicError {
            throw caller.refusal(of: .createTopic, because: "the topic is another app's or has subscribed URLs")
        }
        return .topic(arn)
    }

    /// `DeleteTopic`, which is done as well when there is none.
    func delete(_ arn: TopicARN, _ caller: SNSPrincipal) async throws -> SNSResult {
        if arn.scope == caller.scope, let name = arn.modelName {
            try await self.store.deleteTopic(name, of: caller.key.app)
        }
        return .done(.deleteTopic)
    }

    func attributes(_ arn: TopicARN, _ caller: SNSPrincipal) async throws -> SNSResult {
        let topic = try await self.store.topic(of: arn, caller)
        guard let counts = try await self.store.subscriptionCounts(of: topic.name, app: caller.key.app) else {
            throw TopicDescription.notFound
        }
        let description = TopicDescription(
            topic: arn,
            settings: TopicSettings(stored: topic.attributes),
            confirmed: counts.confirmed,
            pending: counts.pending,
            deleted: counts.deleted
        )
        return .attributes(.getTopicAttributes, description.attributes)
    }

    func set(_ attribute: SNSAttribute, of arn: TopicARN, _ caller: SNSPrincipal) async throws -> SNSResult {
        let action = SNSAction.setTopicAttributes
        try await self.change(arn, action, caller, missing: TopicDescription.notFound) { topic in
            var settings = TopicSettings(stored: topic.attributes)
            try settings.set(attribute)
            topic.attributes = settings.values
        }
        return .done(action)
    }

    /// Executes `AddPermission`: it is stored in the policy, which has no effect.
    func addPermission(_ request: AddPermissionRequest, _ caller: SNSPrincipal) async throws -> SNSResult {
        let action = SNSAction.addPermission
        try await self.change(request.topic, action, caller, missing: TopicDescription.notFound) { topic in
            var settings = TopicSettings(stored: topic.attributes)
            try settings.addPermission(request)
            topic.attributes = settings.values
        }
        return .done(action)
    }

    /// `RemovePermission`, which is done as well when there is none of the label.
    func removePermission(_ label: String, of arn: TopicARN, _ caller: SNSPrincipal) async throws -> SNSResult {
        let action = SNSAction.removePermission
        try await self.change(arn, action, caller, missing: TopicDescription.notFound) { topic in
            var settings = TopicSettings(stored: topic.attributes)
            try settings.removePermission(label, of: arn)
            topic.attributes = settings.values
        }
        return .done(action)
    }

    func list(after token: String?, _ caller: SNSPrincipal) async throws -> SNSResult {
        let list = SNSAction.listTopics.rawValue
        let cursor = try self.pages.place(token, of: list) { TopicName(rawValue: $0) }
        let page = try await self.store.topics(of: caller.key.app, after: cursor, limit: self.pages.size)
        let topics = page.elements.compactMap { TopicARN(scope: caller.scope, name: $0.name.rawValue) }
        return .topics(topics, nextToken: page.next.map { self.pages.token($0.rawValue, of: list) })
    }

    func tag(_ arn: TopicARN, _ tags: [SNSTag], _ caller: SNSPrincipal) async throws -> SNSResult {
        let limit = min(self.limits.tags, PushTopic.maximumTags)
        try await self.change(arn, .tagResource, caller, missing: TopicDescription.resourceNotFound) { topic in
            topic.tags.merge(Self.tags(tags)) { $1 }
            guard topic.tags.count <= limit else { throw SNSTag.tooMany }
        }
        return .done(.tagResource)
    }

    func untag(_ arn: TopicARN, _ keys: [String], _ caller: SNSPrincipal) async throws -> SNSResult {
        try await self.change(arn, .untagResource, caller, missing: TopicDescription.resourceNotFound) { topic in
            for key in keys { topic.tags[key] = nil }
        }
        return .done(.untagResource)
    }

    func tags(_ arn: TopicARN, _ caller: SNSPrincipal) async throws -> SNSResult {
        guard let topic = try await self.store.knownTopic(of: arn, caller) else {
            throw TopicDescription.resourceNotFound
        }
        return .tags(Self.tags(topic.tags))
    }

    /// Changes a topic, unless the key is bound to an app and others would see the change.
    private func change(
        _ arn: TopicARN,
        _ action: SNSAction,
        _ caller: SNSPrincipal,
        missing: SNSError,
        _ change: @escaping @Sendable (inout PushTopic) throws -> Void
    ) async throws {
        guard let topic = try await self.store.knownTopic(of: arn, caller) else { throw missing }
        if let bound = caller.key.app, let outline = try await self.store.outline(of: topic.name, app: nil) {
            guard outline.apps == [bound], outline.urls.isEmpty else {
                throw caller.refusal(of: action, because: "the topic is not only that of '\(bound)'")
            }
        }
        guard try await self.store.changeTopic(topic.name, change) != nil else { throw missing }
    }

    private static func tags(_ tags: [SNSTag]) -> [String: String] {
        Dictionary(tags.map { ($0.key, $0.value) }) { $1 }
    }

    private static func tags(_ tags: [String: String]) -> [SNSTag] {
        tags.map { SNSTag(key: $0.key, value: $0.value) }.sorted { $0.key < $1.key }
    }
}

extension TopicStore {
    /// The topic of an ARN, if the caller sees it.
    func knownTopic(of arn: TopicARN, _ caller: SNSPrincipal) async throws -> PushTopic? {
        guard arn.scope == caller.scope, let name = arn.modelName else { return nil }
        return try await self.topic(name, of: caller.key.app)
    }

    /// The topic of an ARN.
    ///
    /// - Throws: `SNSError` `NotFound`.
    func topic(of arn: TopicARN, _ caller: SNSPrincipal) async throws -> PushTopic {
        guard let topic = try await self.knownTopic(of: arn, caller) else { throw TopicDescription.notFound }
        return topic
    }
}

extension TopicARN {
    /// The name of the topic in the store.
    var modelName: TopicName? { TopicName(rawValue: self.name) }
}
