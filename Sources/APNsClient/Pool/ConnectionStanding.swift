// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a connection has proved to be good for.
enum ConnectionStanding: Int, Comparable {
    /// Nothing was answered on it.
    case silent
    /// APNs can be reached, but asked for whatever was sent to be sent elsewhere.
    case answered
    /// At least one notification was accepted, or rejected for its own sake.
    case served

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
