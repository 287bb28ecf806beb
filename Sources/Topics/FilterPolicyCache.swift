// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel
public import SNSProtocol
import Synchronization

/// Filter policies that were compiled, so that those of a topic are not compiled anew for each message.
final class FilterPolicyCache: Sendable {
    /// How many compiled policies are kept; when there are more, all are forgotten.
    private static let capacity = 2 * PushTopic.maximumPolicies

    private let policies = Mutex<[SubscriptionFilter: FilterPolicy]>([:])

    /// The compiled policy; `nil` for one that cannot be read, and so matches nothing.
    func policy(_ filter: SubscriptionFilter) -> FilterPolicy? {
        if let known = self.policies.withLock({ $0[filter] }) { return known }
        // Stored policies were checked against the limits of their time.
        guard let policy = try? filter.compiled(limits: .lifted) else { return nil }
        self.policies.withLock { policies in
            if policies.count >= Self.capacity { policies.removeAll(keepingCapacity: true) }
            policies[filter] = policy
        }
        return policy
    }
}

extension SubscriptionFilter {
    /// Compiles the policy.
    ///
    /// - Parameter limits: how large it may be.
    /// - Returns: the policy, ready for messages.
    /// - Throws: `SNSError` `InvalidParameter` with what is wrong.
    public func compiled(limits: SNSLimits) throws(SNSError) -> FilterPolicy {
        try FilterPolicy(json: self.policy, scope: self.policyScope, limits: limits, at: .single)
    }

    private var policyScope: FilterPolicy.Scope {
        switch self.scope {
        case .messageAttributes: .messageAttributes
        case .messageBody: .messageBody
        }
    }
}
