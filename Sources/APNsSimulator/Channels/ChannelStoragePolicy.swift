// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a broadcast channel keeps for devices that are offline: `message-storage-policy`.
public enum ChannelStoragePolicy: Int, Sendable, Hashable, Codable, CaseIterable {
    /// No message, which allows more broadcasts.
    case noMessageStored = 0
    /// The most recent message, for at most 8 hours.
    case mostRecentMessageStored = 1
}
