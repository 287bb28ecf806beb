// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a broadcast channel keeps for devices that are offline: `message-storage-policy`.
///
/// It is set when the channel is created and never changes.
public enum MessageStoragePolicy: Int, Hashable, Sendable, Codable, CaseIterable {
    /// No message: who is offline misses it. APNs takes more broadcasts of such a channel, and only with expiration 0.
    case noMessage = 0
    /// The most recent message, until it expires and for at most ``maximumStorage``.
    case newestMessage = 1

    /// How long APNs keeps the most recent message at most: 8 hours.
    public static let maximumStorage: Duration = .seconds(8 * 3600)
}
