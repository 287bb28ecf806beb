// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Which messages of a topic a subscription wants, compiled once and then held against each message.
///
/// Names are joined by "and", the rules of one name by "or". See
/// <https://docs.aws.amazon.com/sns/latest/dg/sns-subscription-filter-policies.html>.
public struct FilterPolicy: Hashable, Sendable {
    /// What a policy looks at.
    public enum Scope: String, Hashable, Sendable, CaseIterable {
        /// The message's attributes.
        case messageAttributes = "MessageAttributes"
        /// The message itself, which has to be a JSON object.
        case messageBody = "MessageBody"
    }

    /// What the policy looks at.
    public let scope: Scope
    let root: FilterNode

    /// Compiles a policy.
    ///
    /// - Parameters:
    ///   - text: the policy in JSON.
    ///   - scope: what it looks at.
    ///   - limits: how large it may be.
    ///   - place: where it is given, for an error.
    /// - Throws: ``SNSError`` `InvalidParameter`.
    public init(json text: String, scope: Scope, limits: SNSLimits, at place: AttributePlace) throws(SNSError) {
        guard text.utf8.count <= limits.filterPolicyBytes else {
            throw place.error("FilterPolicy: Filter policy is too long: at most \(limits.filterPolicyBytes) bytes")
        }
        do throws(FilterPolicyFault) {
            let value = try FilterPolicyCompiler.parse(text)
            let compiler = FilterPolicyCompiler(scope: scope)
            var root = FilterNode()
            let combinations = try compiler.compile(value, into: &root, limits: limits)
            guard combinations <= limits.filterPolicyCombinations else {
                throw FilterPolicyFault("Filter policy is too complex")
            }
            self.scope = scope
            self.root = root
        } catch {
            throw place.error(error.isAboutScope ? error.text : "FilterPolicy: \(error.text)")
        }
    }

    /// Whether a message is wanted.
    public func matches(_ message: FilterableMessage) -> Bool {
        switch self.scope {
        case .messageAttributes: self.root.matches(message.attributes)
        case .messageBody: message.body.map(self.root.matches) ?? false
        }
    }
}

/// Why a policy is refused.
struct FilterPolicyFault: Error {
    let text: String
    /// Whether it is the scope that forbids what would be allowed in the other one.
    var isAboutScope = false

    init(_ text: String, isAboutScope: Bool = false) {
        self.text = text
        self.isAboutScope = isAboutScope
    }
}
