// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// One call with its parameters, read and checked as far as that is possible without a store.
public enum SNSRequest: Hashable, Sendable {
    /// `CreateTopic`.
    case createTopic(CreateTopicRequest)
    /// `DeleteTopic`.
    case deleteTopic(TopicARN)
    /// `GetTopicAttributes`.
    case getTopicAttributes(TopicARN)
    /// `SetTopicAttributes`.
    case setTopicAttributes(TopicARN, SNSAttribute)
    /// `ListTopics`.
    case listTopics(nextToken: String?)
    /// `AddPermission`.
    case addPermission(AddPermissionRequest)
    /// `RemovePermission`.
    case removePermission(TopicARN, label: String)
    /// `Subscribe`.
    case subscribe(SubscribeRequest)
    /// `ConfirmSubscription`.
    case confirmSubscription(ConfirmSubscriptionRequest)
    /// `Unsubscribe`.
    case unsubscribe(SubscriptionARN)
    /// `GetSubscriptionAttributes`.
    case getSubscriptionAttributes(SubscriptionARN)
    /// `SetSubscriptionAttributes`; ``SubscriptionSettings`` says whether the value is allowed.
    case setSubscriptionAttributes(SubscriptionARN, SNSAttribute)
    /// `ListSubscriptions`.
    case listSubscriptions(nextToken: String?)
    /// `ListSubscriptionsByTopic`.
    case listSubscriptionsByTopic(TopicARN, nextToken: String?)
    /// `CreatePlatformApplication`.
    case createPlatformApplication(CreatePlatformApplicationRequest)
    /// `DeletePlatformApplication`.
    case deletePlatformApplication(ApplicationARN)
    /// `GetPlatformApplicationAttributes`.
    case getPlatformApplicationAttributes(ApplicationARN)
    /// `SetPlatformApplicationAttributes`.
    case setPlatformApplicationAttributes(ApplicationARN, ApplicationAttributes)
    /// `ListPlatformApplications`.
    case listPlatformApplications(nextToken: String?)
    /// `CreatePlatformEndpoint`.
    case createPlatformEndpoint(ApplicationARN, EndpointAttributes)
    /// `DeleteEndpoint`.
    case deleteEndpoint(EndpointARN)
    /// `GetEndpointAttributes`.
    case getEndpointAttributes(EndpointARN)
    /// `SetEndpointAttributes`.
    case setEndpointAttributes(EndpointARN, EndpointAttributes)
    /// `ListEndpointsByPlatformApplication`.
    case listEndpointsByPlatformApplication(ApplicationARN, nextToken: String?)
    /// `Publish`.
    case publish(PublishRequest)
    /// `PublishBatch`.
    case publishBatch(PublishBatchRequest)
    /// `TagResource`.
    case tagResource(TopicARN, [SNSTag])
    /// `UntagResource`.
    case untagResource(TopicARN, keys: [String])
    /// `ListTagsForResource`.
    case listTagsForResource(TopicARN)
}
