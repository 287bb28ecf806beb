// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// All that `GetTopicAttributes` answers of a topic.
public struct TopicDescription: Hashable, Sendable {
    /// The topic.
    public var topic: TopicARN
    /// What callers have set.
    public var settings: TopicSettings
    /// How many subscriptions are confirmed.
    public var confirmed: Int
    /// How many wait for their confirmation.
    public var pending: Int
    /// How many were removed.
    public var deleted: Int

    /// What no topic is answered.
    public static let notFound = SNSError(.notFound, "Topic does not exist")

    /// What no topic is answered by the operations on tags.
    public static let resourceNotFound = SNSError(.resourceNotFound, "Resource does not exist")

    /// A topic with its settings and its numbers of subscriptions.
    public init(topic: TopicARN, settings: TopicSettings, confirmed: Int, pending: Int, deleted: Int = 0) {
        self.topic = topic
        self.settings = settings
        self.confirmed = confirmed
        self.pending = pending
        self.deleted = deleted
    }

    /// The attributes, in the order of their names.
    public var attributes: [SNSAttribute] {
        var values = self.settings.values
        values["TopicArn"] = self.topic.description
        values["Owner"] = self.topic.scope.account
        values["DisplayName"] = values["DisplayName"] ?? ""
        values["Policy"] = values["Policy"] ?? Self.defaultPolicy(of: self.topic)
        values["EffectiveDeliveryPolicy"] = self.settings.deliveryPolicy.topicJSON
        values["SubscriptionsConfirmed"] = String(self.confirmed)
        values["SubscriptionsPending"] = String(self.pending)
        values["SubscriptionsDeleted"] = String(self.deleted)
        if self.topic.isFIFO {
            values["ContentBasedDeduplication"] = values["ContentBasedDeduplication"] ?? "false"
        }
        return values.map { SNSAttribute(name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
    }

    /// The policy that a topic begins with: its own account may do everything.
    static func defaultPolicy(of topic: TopicARN) -> String {
        let actions = [
            "GetTopicAttributes", "SetTopicAttributes", "AddPermission", "RemovePermission", "DeleteTopic", "Subscribe",
            "ListSubscriptionsByTopic", "Publish",
        ]
        var writer = JSONWriter()
        writer.beginObject()
        writer.members([("Version", "2008-10-17"), ("Id", "__default_policy_ID")])
        writer.key("Statement")
        writer.beginArray()
        writer.beginObject()
        writer.members([("Sid", "__default_statement_ID"), ("Effect", "Allow")])
        writer.key("Principal")
        writer.object([("AWS", "*")])
        writer.key("Action")
        writer.beginArray()
        for action in actions { writer.string("SNS:\(action)") }
        writer.endArray()
        writer.members([("Resource", topic.description)])
        writer.key("Condition")
        writer.beginObject()
        writer.key("StringEquals")
        writer.object([("AWS:SourceOwner", topic.scope.account)])
        writer.endObject()
        writer.endObject()
        writer.endArray()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Whether a policy is the one that a topic begins with, in whatever order it is written.
    static func isDefaultPolicy(_ text: String, of arn: String) -> Bool {
        guard let topic = try? TopicARN(arn, region: nil) else { return false }
        let policies = [text, self.defaultPolicy(of: topic)].map { try? JSONValue(json: Array($0.utf8)) }
        guard let policy = policies[0], let usual = policies[1] else { return false }
        return self.normalized(policy) == self.normalized(usual)
    }

    /// A policy of one statement with its operations in order, and without one that SNS does not write any more.
    private static func normalized(_ policy: JSONValue) -> JSONValue {
        guard case .object(var members) = policy, case .array(let statements)? = members["Statement"],
            statements.count == 1, case .object(var statement) = statements[0],
            case .array(let actions)? = statement["Action"]
        else { return policy }
        let names = Set(
            actions.compactMap { action -> String? in
                if case .string(let name) = action { name } else { nil }
            }
        )
        statement["Action"] = .array(names.subtracting(["SNS:Receive"]).sorted().map(JSONValue.string))
        members["Statement"] = .array([.object(statement)])
        return .object(members)
    }
}

extension JSONWriter {
    /// Members whose values are texts.
    mutating func members(_ members: [(name: String, value: String)]) {
        for member in members {
            self.key(member.name)
            self.string(member.value)
        }
    }

    /// An object whose values are texts.
    mutating func object(_ members: [(name: String, value: String)]) {
        self.beginObject()
        self.members(members)
        self.endObject()
    }
}
