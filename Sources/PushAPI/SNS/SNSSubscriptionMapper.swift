// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import SNSProtocol
import Topics

/// Returns subscribers in the form of SNS: for a device, the ARN of its endpoint.
///
/// It caches the applications of apps: create one for each call.
final class SNSSubscriptionMapper {
    private let directory: SNSResourceResolver
    private let caller: SNSPrincipal
    private var applications: [EndpointContainer: PlatformApplication.Name?] = [:]

    init(_ directory: SNSResourceResolver, _ caller: SNSPrincipal) {
        self.directory = directory
        self.caller = caller
    }

    /// All that is known of a subscription; `nil` where SNS has no name for the subscriber.
    func description(
        of subscription: Subscription,
        policy: DeliveryPolicy
    ) async throws -> SubscriptionDescription? {
        guard let topic = TopicARN(scope: self.caller.scope, name: subscription.topic.rawValue),
            let arn = SubscriptionARN(topic: topic, id: subscription.id.description),
            let target = try await self.target(of: subscription)
        else { return nil }
        let scope = self.caller.scope
        return SubscriptionDescription(
            subscription: arn,
            target: target,
            settings: subscription.settings,
            isPending: !subscription.isConfirmed,
            isAuthenticated: subscription.state == .confirmed(isAuthenticated: true),
            principal: "arn:\(scope.partition):iam::\(scope.account):root",
            topicPolicy: policy
        )
    }

    /// Where a subscription leads, a URL without its password; `nil` where SNS has no name for that.
    func target(of subscription: Subscription) async throws -> SubscriptionTarget? {
        switch subscription.subscriber {
        case .user: return nil
        case .url(let url):
            // A master key that does not open the user hides it.
            let opened = try? HTTPSubscriberURL(of: subscription, openedBy: self.directory.masterKey)
            return (opened ?? HTTPSubscriberURL(url)).map { .url($0.shown) }
        case .device(let app, let installation):
            guard let name = try await self.application(subscription, app, installation),
                let platform = SNSPlatform(rawValue: name.platform),
                let application = ApplicationARN(scope: self.caller.scope, platform: platform, name: name.text)
            else { return nil }
            return .endpoint(try EndpointARN(application: application, installation: installation))
        }
    }

    /// Returns the application with which a device was subscribed, or the one that has the device as an endpoint.
    private func application(
        _ subscription: Subscription,
        _ app: AppID,
        _ installation: DeviceID
    ) async throws -> PlatformApplication.Name? {
        if let known = subscription.application { return known }
        guard let device = try await self.directory.store.device(installation, of: app) else { return nil }
        let container = EndpointContainer(app: app, environment: device.environment, name: device.container)
        if let known = self.applications[container] { return known }
        let applications = try await self.directory.store.applications(of: app, after: nil, limit: 1000)
        let name = applications.elements.first { $0.endpoints == container }?.name
        self.applications[container] = .some(name)
        return name
    }
}
