// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Which messages a subscription wants: a filter policy in JSON.
///
/// A topic keeps each distinct policy once, whatever the number of its subscriptions, and it is looked at once for each
/// publication.
public struct SubscriptionFilter: Hashable, Sendable {
    /// What a policy looks at.
    public enum Scope: String, Hashable, Sendable, CaseIterable {
        /// The message's attributes.
        case messageAttributes = "MessageAttributes"

        /// The message itself, which has to be a JSON object.
        case messageBody = "MessageBody"
    }

    /// The policy's JSON, kept byte for byte; it was checked by whoever made the filter.
    public let policy: String

    /// What it looks at.
    public let scope: Scope

    /// Takes a policy that was checked.
    public init(policy: String, scope: Scope = .messageAttributes) {
        self.policy = policy
        self.scope = scope
    }
}
