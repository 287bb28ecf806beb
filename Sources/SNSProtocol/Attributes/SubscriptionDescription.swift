// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// All that `GetSubscriptionAttributes` and the lists answer of a subscription.
public struct SubscriptionDescription: Hashable, Sendable {
    /// The subscription.
    public var subscription: SubscriptionARN
    /// Where it leads.
    public var target: SubscriptionTarget
    /// What callers have set.
    public var settings: SubscriptionSettings
    /// Whether it waits for its confirmation.
    public var isPending: Bool
    /// Whether its confirmation was signed; true of every endpoint.
    public var isAuthenticated: Bool
    /// The ARN of who subscribed; `nil` leaves it out.
    public var principal: String?
    /// The policy of deliveries of its topic.
    public var topicPolicy: DeliveryPolicy

    /// What no subscription is answered.
    public static let notFound = SNSError(.notFound, "Subscription does not exist")

    /// A subscription with its settings and its state.
    public init(
        subscription: SubscriptionARN,
        target: SubscriptionTarget,
        settings: SubscriptionSettings = SubscriptionSettings(),
        isPending: Bool = false,
        isAuthenticated: Bool = true,
        principal: String? = nil,
        topicPolicy: DeliveryPolicy = DeliveryPolicy()
    ) {
        self.subscription = subscription
        self.target = target
        self.settings = settings
        self.isPending = isPending
        self.isAuthenticated = isAuthenticated
        self.principal = principal
        self.topicPolicy = topicPolicy
    }

    /// The attributes, in the order of their names; the scope is shown only beside a policy.
    public var attributes: [SNSAttribute] {
        var values = self.settings.values
        values["FilterPolicyScope"] = values["FilterPolicy"].map { _ in self.settings.scope.rawValue }
        values["SubscriptionArn"] = self.subscription.description
        values["TopicArn"] = self.subscription.topic.description
        values["Endpoint"] = self.target.text
        values["Protocol"] = self.target.protocolName
        values["Owner"] = self.subscription.topic.scope.account
        values["PendingConfirmation"] = String(self.isPending)
        values["ConfirmationWasAuthenticated"] = String(self.isAuthenticated && !self.isPending)
        values["RawMessageDelivery"] = String(self.settings.isRaw)
        values["SubscriptionPrincipal"] = self.principal
        if case .url = self.target {
            values["EffectiveDeliveryPolicy"] =
                self.topicPolicy.overridden(by: self.settings.deliveryPolicy).subscriptionJSON
        }
        return values.map { SNSAttribute(name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
    }
}
