// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The operations of SNS that are carried out here, by the names that requests give them.
package enum SNSAction: String, Hashable, Sendable, CaseIterable {
    /// Makes a topic, or finds the one that is there.
    case createTopic = "CreateTopic"
    /// Removes a topic and its subscriptions.
    case deleteTopic = "DeleteTopic"
    case getTopicAttributes = "GetTopicAttributes"
    /// Changes one attribute of a topic.
    case setTopicAttributes = "SetTopicAttributes"
    /// All topics, page by page.
    case listTopics = "ListTopics"
    /// Allows others to use a topic.
    case addPermission = "AddPermission"
    /// Takes such a permission back.
    case removePermission = "RemovePermission"
    /// Subscribes an endpoint or a URL to a topic.
    case subscribe = "Subscribe"
    /// Confirms the subscription of a URL.
    case confirmSubscription = "ConfirmSubscription"
    case unsubscribe = "Unsubscribe"
    case getSubscriptionAttributes = "GetSubscriptionAttributes"
    /// Changes one attribute of a subscription.
    case setSubscriptionAttributes = "SetSubscriptionAttributes"
    /// All subscriptions, page by page.
    case listSubscriptions = "ListSubscriptions"
    /// The subscriptions of a topic, page by page.
    case listSubscriptionsByTopic = "ListSubscriptionsByTopic"
    /// Makes an application: an app with its credential.
    case createPlatformApplication = "CreatePlatformApplication"
    /// Removes an application and its endpoints.
    case deletePlatformApplication = "DeletePlatformApplication"
    /// Returns the attributes of an application, without its credential.
    case getPlatformApplicationAttributes = "GetPlatformApplicationAttributes"
    /// Changes attributes of an application.
    case setPlatformApplicationAttributes = "SetPlatformApplicationAttributes"
    /// All applications, page by page.
    case listPlatformApplications = "ListPlatformApplications"
    /// Makes an endpoint: a device of an application.
    case createPlatformEndpoint = "CreatePlatformEndpoint"
    case deleteEndpoint = "DeleteEndpoint"
    case getEndpointAttributes = "GetEndpointAttributes"
    /// Changes attributes of an endpoint.
    case setEndpointAttributes = "SetEndpointAttributes"
    /// The endpoints of an application, page by page.
    case listEndpointsByPlatformApplication = "ListEndpointsByPlatformApplication"
    /// Sends a message to a topic or an endpoint.
    case publish = "Publish"
    /// Sends several messages to a topic.
    case publishBatch = "PublishBatch"
    /// Adds tags to a topic.
    case tagResource = "TagResource"
    /// Removes tags from a topic.
    case untagResource = "UntagResource"
    /// The tags of a topic.
    case listTagsForResource = "ListTagsForResource"

    /// The version of the interface that requests name.
    package static let version = "2010-03-31"

    /// Operations of SNS for text messages, which are not delivered here.
    static let unsupported: Set<String> = [
        "CheckIfPhoneNumberIsOptedOut", "CreateSMSSandboxPhoneNumber", "DeleteSMSSandboxPhoneNumber",
        "GetSMSAttributes", "GetSMSSandboxAccountStatus", "ListOriginationNumbers", "ListPhoneNumbersOptedOut",
        "ListSMSSandboxPhoneNumbers", "OptInPhoneNumber", "SetSMSAttributes", "VerifySMSSandboxPhoneNumber",
    ]

    /// Operations of SNS that look into contents, which is not done here.
    static let inspections: Set<String> = ["GetDataProtectionPolicy", "PutDataProtectionPolicy"]

    /// Reads the parameter `Action`.
    ///
    /// - Throws: ``SNSError`` `MissingAction` or `InvalidAction`.
    init(parameter: String?) throws(SNSError) {
        guard let parameter, !parameter.isEmpty else {
            throw SNSError(.missingAction, "The request is missing an action or a required parameter: Action")
        }
        // A long one is not compared; see `String.isStreamSafe`.
        if parameter.utf8.count > 64 {
            throw SNSError(.invalidAction, "Could not find operation \(parameter.cut) for version \(Self.version)")
        } else if let action = SNSAction(rawValue: parameter) {
            self = action
        } else if Self.unsupported.contains(parameter) {
            throw SNSError(.invalidAction, "\(parameter) is not supported: text messages are not delivered here.")
        } else if Self.inspections.contains(parameter) {
            throw SNSError(.invalidAction, "\(parameter) is not supported: there are no data protection policies here.")
        } else {
            let version = Self.version
            throw SNSError(.invalidAction, "Could not find operation \(parameter.cut) for version \(version)")
        }
    }
}
