// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import SNSProtocol

/// Whoever has signed a request, and where the resources are that it speaks of.
struct SNSCaller: Sendable {
    /// The API key whose secret signed.
    let key: APIKey

    /// The region that was signed for, and the server's account.
    let scope: SNSScope

    /// Where the caller reaches the endpoint.
    var server = ""

    /// Checks that the key may do this for some app at least.
    ///
    /// - Throws: `SNSError` `AuthorizationError`.
    func check(_ action: SNSAction) throws(SNSError) {
        let scopes = action.scopes
        guard !scopes.contains(where: self.key.scopes.contains), !self.key.scopes.contains(.admin) else { return }
        let names = scopes.map { "'\($0.rawValue)'" }.joined(separator: " or ")
        throw self.refusal(of: action, because: "it lacks the scope \(names)")
    }

    /// Checks that the key may do this for an app.
    ///
    /// - Throws: `SNSError` `AuthorizationError`.
    func check(_ action: SNSAction, for app: AppID) throws(SNSError) {
        guard let bound = self.key.app, bound != app else { return }
        throw self.refusal(of: action, because: "it may be used for '\(bound)' only")
    }

    /// Why the key may not do something; the reason follows "because".
    func refusal(of action: SNSAction, because reason: String) -> SNSError {
        let user = "arn:\(self.scope.partition):iam::\(self.scope.account):user/\(self.key.id.accessKeyID)"
        return SNSError(
            .authorizationError,
            "User: \(user) is not authorized to perform: SNS:\(action.rawValue) because \(reason)"
        )
    }
}

extension SNSAction {
    /// The scopes of which a key needs one.
    fileprivate var scopes: [Scope] {
        switch self {
        case .createPlatformApplication, .deletePlatformApplication, .setPlatformApplicationAttributes: [.admin]
        case .getPlatformApplicationAttributes, .listPlatformApplications: [.read, .devices, .send]
        case .createPlatformEndpoint, .deleteEndpoint, .setEndpointAttributes: [.devices]
        case .getEndpointAttributes, .listEndpointsByPlatformApplication: [.devices, .read]
        case .publish, .publishBatch: [.send]
        case .createTopic, .deleteTopic, .setTopicAttributes, .addPermission, .removePermission, .tagResource,
            .untagResource:
            [.campaigns]
        case .subscribe, .confirmSubscription, .unsubscribe, .setSubscriptionAttributes: [.campaigns, .devices]
        case .getTopicAttributes, .listTopics, .listTagsForResource, .getSubscriptionAttributes, .listSubscriptions,
            .listSubscriptionsByTopic:
            [.read, .campaigns]
        }
    }
}
