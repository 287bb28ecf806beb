// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The attributes of a subscription that callers set.
///
/// A value is stored and returned byte for byte; an invalid value changes nothing.
package struct SubscriptionSettings: Hashable, Sendable {
    /// The values by their names: `FilterPolicy`, `FilterPolicyScope`, `RawMessageDelivery`, `DeliveryPolicy`,
    /// `RedrivePolicy` and `SubscriptionRoleArn`.
    package private(set) var values: [String: String] = [:]

    private static let names: Set<String> = [
        "FilterPolicy", "FilterPolicyScope", "RawMessageDelivery", "DeliveryPolicy", "RedrivePolicy",
        "SubscriptionRoleArn",
    ]

    package init() {}

    /// The attributes of a new subscription; the scope is looked at before the policy.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`.
    init(_ values: [String: String], target: SubscriptionTarget, limits: SNSLimits) throws(SNSError) {
        let scope = "FilterPolicyScope"
        if let value = values[scope] { try self.set(scope, to: value, target: target, limits: limits, at: .map) }
        for (name, value) in values.sorted(by: { $0.key < $1.key }) where name != scope {
            try self.set(name, to: value, target: target, limits: limits, at: .map)
        }
    }

    /// Attributes that were set before, from a store.
    package init(stored values: [String: String]) { self.values = values }

    /// Changes one attribute.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`.
    package mutating func set(
        _ attribute: SNSAttribute,
        target: SubscriptionTarget,
        limits: SNSLimits
    ) throws(SNSError) {
        try self.set(attribute.name, to: attribute.value, target: target, limits: limits, at: .single)
    }

    /// The scope of the filter policy.
    package var scope: FilterPolicy.Scope {
        self.values["FilterPolicyScope"].flatMap(FilterPolicy.Scope.init(rawValue:)) ?? .messageAttributes
    }

    /// Whether messages are delivered as they are, without a JSON document around them.
    package var isRaw: Bool { self.values["RawMessageDelivery"] == "true" }

    /// The delivery policy of the subscription itself.
    package var deliveryPolicy: DeliveryPolicy? { self.values["DeliveryPolicy"].flatMap(DeliveryPolicy.init(json:)) }

    /// Checks that a subscription with these attributes may be created again with others.
    ///
    /// A default that is given explicitly makes no difference: `RawMessageDelivery` of `false`, `FilterPolicyScope` of
    /// `MessageAttributes`.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter` if a value differs.
    package func checkAgreement(with others: SubscriptionSettings) throws(SNSError) {
        let defaults = ["RawMessageDelivery": "false", "FilterPolicyScope": "MessageAttributes"]
        let isSame = others.values.allSatisfy { name, value in (self.values[name] ?? defaults[name]) == value }
        guard isSame else {
            throw .invalidParameter("Attributes", reason: "Subscription already exists with different attributes")
        }
    }

    private mutating func set(
        _ name: String,
        to value: String,
        target: SubscriptionTarget,
        limits: SNSLimits,
        at place: AttributeLocation
    ) throws(SNSError) {
        guard Self.names.contains(name) else { throw place.unknown(name) }
        if let fault = XMLText.fault(in: value) { throw place.error("\(name): \(fault)") }
        var changed = self
        changed.values[name] = value.isEmpty || name == "FilterPolicy" && value == "{}" ? nil : value
        switch name {
        case "FilterPolicy": _ = try changed.compiled(limits: limits, at: place)
        case "FilterPolicyScope":
            guard value.isEmpty || FilterPolicy.Scope(rawValue: value) != nil else {
                throw place.error(
                    "FilterPolicyScope: Invalid value [\(value.cut)]."
                        + " Please use either MessageBody or MessageAttributes"
                )
            }
            _ = try changed.compiled(limits: limits, at: place)
        case "RawMessageDelivery":
            guard !value.isEmpty else { throw place.error("\(name): Invalid value []. Must be true or false.") }
            try AttributeConstraint.flag.check(value, name: name, at: place)
            if case .endpoint = target, value.lowercased() == "true" {
                let protocolName = target.protocolName
                throw place.error("Delivery protocol [\(protocolName)] does not support raw message delivery.")
            }
            changed.values[name] = value.lowercased()
        case "DeliveryPolicy": try AttributeConstraint.deliveryPolicy.check(value, name: name, at: place)
        case "RedrivePolicy": try Self.checkRedrivePolicy(value, at: place)
        default: break
        }
        self = changed
    }

    private func compiled(limits: SNSLimits, at place: AttributeLocation) throws(SNSError) -> FilterPolicy? {
        guard let text = self.values["FilterPolicy"] else { return nil }
        return try FilterPolicy(json: text, scope: self.scope, limits: limits, at: place)
    }

    private static func checkRedrivePolicy(_ value: String, at place: AttributeLocation) throws(SNSError) {
        guard !value.isEmpty else { return }
        guard let policy = try? JSONValue(json: Array(value.utf8)), case .object = policy else {
            throw place.error("RedrivePolicy: failed to parse JSON.")
        }
        guard case .string(let arn) = policy["deadLetterTargetArn"],
            arn.split(separator: ":", omittingEmptySubsequences: false).count == 6, arn.hasPrefix("arn:")
        else { throw place.error("RedrivePolicy: deadLetterTargetArn is an invalid arn") }
    }
}
