// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import SNSProtocol

/// Carries out what signed requests ask for.
struct SNSDesk: Sendable {
    let applications: SNSApplicationDesk
    let endpoints: SNSEndpointDesk
    let publishing: SNSPublishDesk

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
        case .createTopic, .deleteTopic, .getTopicAttributes, .setTopicAttributes, .listTopics, .addPermission,
            .removePermission, .subscribe, .confirmSubscription, .unsubscribe, .getSubscriptionAttributes,
            .setSubscriptionAttributes, .listSubscriptions, .listSubscriptionsByTopic, .publishBatch, .tagResource,
            .untagResource, .listTagsForResource:
            throw SNSError(.invalidAction, "\(call.action.rawValue) is not supported: this server has no topics.")
        }
    }
}
