// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The headers that every request of a batch shares; `apns-id` and the token differ for each target.
public struct NotificationHeaders: Hashable, Sendable {
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
    /// Whether the targets are broadcast channels and not devices.
    ///
    /// The topic is the app's bundle identifier then, without a suffix; it goes into the path.
    public var isBroadcast = false

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

    /// Headers for broadcasts to channels of an app.
    ///
    /// - Parameters:
    ///   - bundleID: the app's bundle identifier.
    ///   - priority: how eagerly it is delivered.
    ///   - expiration: until when APNs keeps it; ``APNsExpiration/once`` for a channel that stores no message.
    public init(broadcastFor bundleID: Topic, priority: Priority, expiration: APNsExpiration) {
        self.init(topic: bundleID, pushType: .liveactivity, priority: priority, expiration: expiration)
        self.isBroadcast = true
    }

    /// The largest body that APNs takes with these headers, in bytes.
    public var maximumPayloadBytes: Int {
        self.isBroadcast ? PayloadLimit.broadcast : self.pushType.maximumPayloadBytes
    }

    /// The priority that APNs goes by: the header's, or 10 without one.
    public var effectivePriority: Priority { self.priority ?? .immediate }

    /// The headers as they go on the wire, in a fixed order, without those that are nil.
    public var fields: [(name: RequestHeader, value: String)] {
        var fields: [(name: RequestHeader, value: String)] = [(.pushType, self.pushType.rawValue)]
        if !self.isBroadcast { fields.insert((.topic, self.topic.rawValue), at: 0) }
        if let priority = self.priority { fields.append((.priority, priority.description)) }
        if let expiration = self.expiration { fields.append((.expiration, expiration.description)) }
        if !self.isBroadcast, let collapseID = self.collapseID { fields.append((.collapseID, collapseID.rawValue)) }
        return fields
    }
}
