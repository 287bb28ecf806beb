// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel
package import SNSProtocol
import Topics

/// The attributes of a subscription as SNS has them, and as the store keeps them: the filter policy by itself, all others under
/// their names.
extension Subscription {
    /// Under what the name of the application stands by which a device was subscribed; no attribute of SNS is called so.
    private static let application = "apus.application"
    private static let policy = "FilterPolicy"
    private static let scope = "FilterPolicyScope"

    /// What callers have set.
    var settings: SubscriptionSettings {
        var values = self.attributes.filter { !$0.key.hasPrefix(URLSubscription.prefix) }
        if let filter {
            values[Self.policy] = filter.policy
            values[Self.scope] = filter.scope.rawValue
        }
        return SubscriptionSettings(stored: values)
    }

    /// Platform and name of the application by which the device was subscribed, if it was one.
    var application: PlatformApplication.Name? {
        let parts = self.attributes[Self.application]?.split(separator: "/", maxSplits: 1).map(String.init) ?? []
        guard parts.count == 2 else { return nil }
        return PlatformApplication.Name(platform: parts[0], text: parts[1])
    }

    /// Takes over settings that were checked.
    ///
    /// - Parameters:
    ///   - settings: the settings.
    ///   - name: the application by which the device is subscribed; `nil` leaves it as it is.
    package mutating func set(_ settings: SubscriptionSettings, application name: PlatformApplication.Name? = nil) {
        let own = self.attributes.filter { $0.key.hasPrefix(URLSubscription.prefix) }
        self.attributes = settings.values.merging(own) { $1 }
        self.attributes[Self.policy] = nil
        if let name { self.attributes[Self.application] = name.description }
        self.filter = settings.values[Self.policy].map { policy in
            SubscriptionFilter(
                policy: policy,
                scope: settings.scope == .messageBody ? .messageBody : .messageAttributes
            )
        }
    }
}
