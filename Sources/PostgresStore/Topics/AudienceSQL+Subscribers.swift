// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

extension AudienceSQL {
    /// The condition that a device gets a publication, for audiences of which it is a part like others.
    mutating func subscribers(_ rule: SubscriberRule) -> String {
        let topic = self.bind(.integer(rule.topic.rawValue))
        let policies = self.bind(.integers(rule.policies))
        // The devices are read under the name `part`.
        let subscribed = """
            EXISTS (
                SELECT FROM topic_shares AS share JOIN subscriptions AS subscribed ON subscribed.share = share.number
                WHERE share.topic = \(topic) AND share.app = part.app AND subscribed.policy = ANY(\(policies))
            """
        var conditions = [
            "\(subscribed) AND subscribed.device = part.number)",
            "\(subscribed) AND subscribed.user_id = part.user_id)",
        ]
        if rule.countsProfiles {
            conditions.append(
                """
                EXISTS (
                    SELECT FROM topic_shares AS share JOIN topics AS told ON told.number = share.topic
                    WHERE share.topic = \(topic) AND share.app = part.app AND told.name = ANY(part.topics))
                """
            )
        }
        return "(\(conditions.joined(separator: " OR ")))"
    }
}
