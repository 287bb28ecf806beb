// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// One thing that an API key may do.
public enum Scope: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
    /// Send notifications.
    case send

    /// Register, change and remove devices.
    case devices

    /// Start, update and end Live Activities.
    case activities

    /// Tell the tokens of devices and activities, and nothing else: for keys that stand in apps.
    case client

    /// Create and steer campaigns.
    case campaigns

    /// Read everything but secrets.
    case read

    /// Manage apps, credentials and keys; includes every other scope.
    case admin

    /// Orders scopes by their names.
    public static func < (left: Scope, right: Scope) -> Bool { left.rawValue < right.rawValue }
}
