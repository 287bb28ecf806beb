// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A topic, as the API writes it.
struct TopicAnswer: Codable {
    struct Subscriptions: Codable {
        let count: Int
    }

    let name: String
    let displayName: String?
    let tags: [String: String]
    let createdAt: String
    let subscriptions: Subscriptions?
}

/// A subscription, as the API writes it; what its filter is stands in the answer itself.
struct SubscriptionAnswer: Decodable {
    let id: String
    let topic: String
    let device: String?
    let user: String?
    let filterScope: String?
    let createdAt: String

    /// Who is subscribed.
    var subscriber: String { self.device.map { "device \($0)" } ?? "user \(self.user ?? "-")" }
}

/// What a publication came to, as the API writes it.
struct PublicationAnswer: Decodable {
    let topic: String
    let notification: NotificationAnswer?
    let campaign: CampaignAnswer?
}
