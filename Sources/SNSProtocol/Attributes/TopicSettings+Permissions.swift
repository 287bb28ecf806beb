// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Permissions: statements of the attribute `Policy`, by their labels.
extension TopicSettings {
    /// The operations that a statement may name.
    private static let permittedActions: Set<String> = [
        "*", "AddPermission", "DeleteTopic", "GetTopicAttributes", "ListSubscriptionsByTopic", "ListTagsForResource",
        "Publish",
        "Receive", "RemovePermission", "SetTopicAttributes", "Subscribe",
    ]

    /// Adds a statement to the policy.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter` for an operation that no policy names, a label that there is already, and a
    ///   policy whose statements are no list.
    public mutating func addPermission(_ request: AddPermissionRequest) throws(SNSError) {
        guard !request.label.isEmpty, request.label.utf8.count <= 80, request.label.utf8.allSatisfy(Self.isLabel) else {
            throw .invalidParameter("Label", reason: "must be 1 to 80 letters, digits, hyphens or underscores")
        }
        guard !request.accounts.isEmpty else { throw SNSError.missing(["aWSAccountId"]) }
        guard !request.actions.isEmpty else { throw SNSError.missing(["actionName"]) }
        guard request.actions.allSatisfy(Self.permittedActions.contains) else {
            throw .invalidParameter("Policy statement action out of service scope!")
        }
        var (policy, statements) = try self.statements(of: request.topic)
        guard !statements.contains(where: { $0["Sid"] == .string(request.label) }) else {
            throw .invalidParameter("Statement already exists")
        }
        let partition = request.topic.scope.partition
        let principals = request.accounts.map { JSONValue.string("arn:\(partition):iam::\($0):root") }
        let actions = request.actions.map { JSONValue.string("SNS:\($0)") }
        statements.append([
            "Sid": .string(request.label), "Effect": "Allow", "Principal": ["AWS": Self.oneOrMany(principals)],
            "Action": Self.oneOrMany(actions), "Resource": .string(request.topic.description),
        ])
        policy["Statement"] = .array(statements)
        try self.set(SNSAttribute(name: "Policy", value: Self.text(policy)))
    }

    /// Takes the statement of a label out of the policy, if there is one.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter` for a policy whose statements are no list.
    public mutating func removePermission(_ label: String, of topic: TopicARN) throws(SNSError) {
        var (policy, statements) = try self.statements(of: topic)
        let kept = statements.filter { $0["Sid"] != .string(label) }
        guard kept.count != statements.count else { return }
        statements = kept
        policy["Statement"] = .array(statements)
        try self.set(SNSAttribute(name: "Policy", value: Self.text(policy)))
    }

    private func statements(
        of topic: TopicARN
    ) throws(SNSError) -> (policy: [String: JSONValue], statements: [JSONValue]) {
        let text = self["Policy"] ?? TopicDescription.defaultPolicy(of: topic)
        guard case .object(let policy)? = try? JSONValue(json: Array(text.utf8)) else {
            throw .invalidParameter("Policy", reason: "the topic's policy is no JSON object")
        }
        switch policy["Statement"] {
        case nil: return (policy, [])
        case .array(let statements)?: return (policy, statements)
        case .object?: return (policy, [policy["Statement"] ?? .null])
        default: throw .invalidParameter("Policy", reason: "the topic's policy has statements that are no list")
        }
    }

    private static func oneOrMany(_ values: [JSONValue]) -> JSONValue {
        values.count == 1 ? values[0] : .array(values)
    }

    private static func text(_ policy: [String: JSONValue]) throws(SNSError) -> String {
        guard let bytes = try? JSONValue.object(policy).json() else {
            throw .invalidParameter("Policy", reason: "the topic's policy cannot be written")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isLabel(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
