// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import SNSProtocol

/// Policies and messages of tests.
enum FilterHarness {
    static func policy(
        _ json: String,
        _ scope: FilterPolicy.Scope = .messageAttributes,
        limits: SNSLimits = .sns
    ) throws -> FilterPolicy {
        try FilterPolicy(json: json, scope: scope, limits: limits, at: .single)
    }

    /// Why a policy is refused, without what stands before every reason; `nil` when it is not.
    static func fault(
        _ json: String,
        _ scope: FilterPolicy.Scope = .messageAttributes,
        limits: SNSLimits = .sns
    ) -> String? {
        let error = TestCall.error { _ = try Self.policy(json, scope, limits: limits) }
        guard let message = error?.message else { return nil }
        for prefix in ["Invalid parameter: FilterPolicy: ", "Invalid parameter: "] where message.hasPrefix(prefix) {
            return String(message.dropFirst(prefix.count))
        }
        return message
    }

    /// Attributes from texts such as `String:a` and `Number:5`.
    static func attributes(_ texts: [String: String]) -> [String: MessageAttribute] {
        texts.mapValues { text in
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let value: MessageAttribute.Value = parts[0] == "Binary" ? .binary([1]) : .text(parts[1])
            return MessageAttribute(dataType: parts[0], value: value)
        }
    }

    static func matches(_ json: String, attributes: [String: String]) throws -> Bool {
        try Self.policy(json).matches(FilterableMessage(attributes: Self.attributes(attributes), body: nil))
    }

    static func matches(_ json: String, body: String) throws -> Bool {
        try Self.policy(json, .messageBody).matches(FilterableMessage(attributes: [:], body: body))
    }
}
