// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

extension AudienceSQL {
    /// The condition that a device gets a publication, for audiences of which it is a part like others.
    mutating func subscribers(_ rule: SubscriberRule) -> String {
        let policies = rule.policies.map(String.init).joined(separator: ", ")
        let shares = "topic_shares.topic = \(rule.topic.rawValue) AND coalesce(topic_shares.app, 0) = devices.app"
        let subscribed = """
            EXISTS (
                SELECT 1 FROM topic_shares CROSS JOIN subscriptions ON subscriptions.share = topic_shares.number
                WHERE \(shares) AND subscriptions.policy IN (\(policies))
            """
        var conditions = [
            "\(subscribed) AND subscriptions.device = devices.number)",
            "\(subscribed) AND subscriptions.user_id = devices.user_id)",
        ]
        if rule.countsProfiles {
            conditions.append(
                """
                EXISTS (
                    SELECT 1 FROM topic_shares CROSS JOIN topics ON topics.number = topic_shares.topic
                    CROSS JOIN device_topics ON device_topics.topic = topics.name
                    WHERE \(shares) AND device_topics.device = devices.number)
                """
            )
        }
        return "(\(conditions.joined(separator: " OR ")))"
    }
}
