// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension NotificationHeaders: Codable {
    private enum CodingKeys: CodingKey {
        case topic, pushType, priority, expiration, collapseID, isBroadcast
    }

    /// Reads headers; those that do not say whether they are a broadcast's are not.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            topic: try container.decode(Topic.self, forKey: .topic),
            pushType: try container.decode(PushType.self, forKey: .pushType),
            expiration: try container.decodeIfPresent(APNsExpiration.self, forKey: .expiration),
            collapseID: try container.decodeIfPresent(CollapseID.self, forKey: .collapseID)
        )
        self.priority = try container.decodeIfPresent(Priority.self, forKey: .priority)
        self.isBroadcast = try container.decodeIfPresent(Bool.self, forKey: .isBroadcast) ?? false
    }

    /// Writes headers; whether they are a broadcast's is told only where they are.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.topic, forKey: .topic)
        try container.encode(self.pushType, forKey: .pushType)
        try container.encodeIfPresent(self.priority, forKey: .priority)
        try container.encodeIfPresent(self.expiration, forKey: .expiration)
        try container.encodeIfPresent(self.collapseID, forKey: .collapseID)
        if self.isBroadcast { try container.encode(true, forKey: .isBroadcast) }
    }
}
