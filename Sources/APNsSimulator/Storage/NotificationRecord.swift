// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// An accepted notification: what it carries, who it is and when it came.
struct NotificationRecord: Sendable, Hashable, Codable {
    /// What it carries, shared with others of the same campaign.
    let content: NotificationContent
    /// Its identity.
    let apnsID: APNsID
    /// Whether the request named the identity.
    let namesID: Bool
    /// When APNs accepted it, in seconds since 1970.
    let acceptedAt: Double

    /// The topic of the token that it was sent to.
    var topic: TopicIndex { self.content.topic }
    /// The JSON as it was sent.
    var payload: [UInt8] { self.content.payload }
    /// When it is no longer worth delivering, in seconds since 1970.
    var expiresAt: Double { self.content.expiresAt(acceptedAt: self.acceptedAt) }
    /// Whether it may wait in APNs's store.
    var isStorable: Bool { self.expiresAt > self.acceptedAt }
    /// 10, 5 or 1.
    var priority: Int { Int(self.content.priority) }

    /// The `apns-*` fields of the request.
    var headers: [String: String] {
        var headers = self.content.headers
        if self.namesID { headers["apns-id"] = self.apnsID.description }
        return headers
    }
}
