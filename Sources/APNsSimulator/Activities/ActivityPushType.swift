// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How a Live Activity is updated from outside, besides by its app: ActivityKit's `PushType`.
public enum ActivityPushType: Hashable, Sendable, Codable {
    /// Not at all.
    case none
    /// By pushes to a token of its own.
    case token
    /// By broadcasts on the channel with this identifier (iOS 18).
    case channel(String)
}
