// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import SNSProtocol

/// Carries out what signed requests ask for.
struct SNSDesk: Sendable {
    let applications: SNSApplicationDesk
    let endpoints: SNSEndpointDesk
    let publishing: SNSPublishDesk
    let topics: SNSTopicDesk
    let subscriptions: SNSSubscriptionDesk

    /// Carries a call out.
    ///
    /// - Throws: `SNSError` with the code and the sentence of SNS, and what the store throws.
    func carryOut(_ call: SNSCall, of caller: SNSCaller) async throws -> SNSResult {
        switch call.request {
        case .createPlatformApplication(let request): return try await self.applications.create(request, caller)
        case .deletePlatformApplication(let arn): return try await self.applications.delete(arn, caller)
        case .getPlatformApplicationAttributes(let arn): return try await self.applications.attributes(arn, caller)
        case .setPlatformApplicationAttributes(let arn, let attributes):
            return try await self.applications.set(attributes, of: arn, caller)
        case .listPlatformApplications(let token): return try await self.applications.list(after: token, caller)
        case .createPlatformEndpoint(let arn, let attributes):
            return try await self.endpoints.create(attributes, of: arn, caller)
        case .deleteEndpoint(let arn): return try await self.endpoints.delete(arn, caller)
        case .getEndpointAttributes(let arn): return try await self.endpoints.attributes(arn, caller)
        case .setEndpointAttributes(let arn, let attributes):
            return try await self.endpoints.set(attributes, of: arn, caller)
        case .listEndpointsByPlatformApplication(let arn, let token):
            return try await self.endpoints.list(arn, after: token, caller)
        case .publish(let request): return try await self.publishing.publish(request, caller)
        case .publishBatch(let request): return try await self.publishing.publish(request, caller)
        default: return try await self.carryOutOnTopics(call, of: caller)
        }
    }

    /// Carries a call out that nobody has signed: what whoever gets a message may do with the links in it.
    ///
    /// - Throws: `SNSError` `MissingAuthenticationToken` for everything else.
    func carryOutUnsigned(_ call: SNSCall) async throws -> SNSResult {
        switch call.request {
        case .confirmSubscription(let request): return try await self.subscriptions.confirm(request, nil)
        case .unsubscribe(let arn): return try await self.subscriptions.unsubscribe(unsigned: arn)
        default: throw SignatureVerifier.unsigned
        }
    }

    private func carryOutOnTopics(_ call: SNSCall, of caller: SNSCaller) async throws -> SNSResult {
        switch call.request {
        case .createTopic(let request): return try await self.topics.create(request, caller)
        case .deleteTopic(let arn): return try await self.topics.delete(arn, caller)
        case .getTopicAttributes(let arn): return try await self.topics.attributes(arn, caller)
        case .setTopicAttributes(let arn, let attribute): return try await self.topics.set(attribute, of: arn, caller)
        case .listTopics(let token): return try await self.topics.list(after: token, caller)
        case .tagResource(let arn, let tags): return try await self.topics.tag(arn, tags, caller)
        case .untagResource(let arn, let keys): return try await self.topics.untag(arn, keys, caller)
        case .listTagsForResource(let arn): return try await self.topics.tags(arn, caller)
        case .subscribe(let request): return try await self.subscriptions.subscribe(request, caller)
        case .unsubscribe(let arn): return try await self.subscriptions.unsubscribe(arn, caller)
        case .getSubscriptionAttributes(let arn): return try await self.subscriptions.attributes(arn, caller)
        case .setSubscriptionAttributes(let arn, let attribute):
            return try await self.subscriptions.set(attribute, of: arn, caller)
        case .listSubscriptions(let token): return try await self.subscriptions.list(after: token, caller)
        case .listSubscriptionsByTopic(let arn, let token):
            return try await self.subscriptions.list(arn, after: token, caller)
        case .confirmSubscription(let request): return try await self.subscriptions.confirm(request, caller)
        case .addPermission(let request): return try await self.topics.addPermission(request, caller)
        case .removePermission(let arn, let label):
            return try await self.topics.removePermission(label, of: arn, caller)
        default:
            throw SNSError(.invalidAction, "\(call.action.rawValue) is not an operation on topics.")
        }
    }
}
