// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The headers that every request of a batch shares; `apns-id` and the token differ for each target.
public struct NotificationHeaders: Hashable, Sendable, Codable {
    /// `apns-topic`.
    public var topic: Topic
    /// `apns-push-type`.
    public var pushType: PushType
    /// `apns-priority`; nil sends no header, and APNs assumes 10.
    public var priority: Priority?
    /// `apns-expiration`; nil sends no header, and APNs stores for up to 30 days.
    public var expiration: APNsExpiration?
    /// `apns-collapse-id`; nil sends no header.
    public var collapseID: CollapseID?

    /// Headers for pushes of one type to one topic.
    ///
    /// Where the type allows a single priority (5 for `background`, 10 for `pushtotalk`) and `priority` is nil, that
    /// one is filled in.
    public init(
        topic: Topic,
        pushType: PushType = .alert,
        priority: Priority? = nil,
        expiration: APNsExpiration? = nil,
        collapseID: CollapseID? = nil
    ) {
        self.topic = topic
        self.pushType = pushType
        self.priority = priority ?? pushType.rule?.requiredPriority
        self.expiration = expiration
        self.collapseID = collapseID
    }

    /// The priority that APNs goes by: the header's, or 10 without one.
    public var effectivePriority: Priority { self.priority ?? .immediate }

    /// The headers as they go on the wire, in a fixed order, without those that are nil.
    public var fields: [(name: RequestHeader, value: String)] {
        var fields: [(name: RequestHeader, value: String)] = [
            (.topic, self.topic.rawValue), (.pushType, self.pushType.rawValue),
        ]
        if let priority = self.priority { fields.append((.priority, priority.description)) }
        if let expiration = self.expiration { fields.append((.expiration, expiration.description)) }
        if let collapseID = self.collapseID { fields.append((.collapseID, collapseID.rawValue)) }
        return fields
    }
}
