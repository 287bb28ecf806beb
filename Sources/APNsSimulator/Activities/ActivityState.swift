// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a Live Activity is in the life that the system gives it.
public enum ActivityState: String, Sendable, Hashable, Codable, CaseIterable {
    /// It was requested for a later time (iOS 26).
    ///
    /// Can transition to: `active`, `dismissed`.
    case pending
    /// It is shown with content that counts as up to date.
    ///
    /// Can transition to: `stale`, `ended`.
    case active
    /// It is shown with content whose stale date has passed.
    ///
    /// Can transition to: `active`, `ended`.
    case stale
    /// It takes no more updates and may still be on the Lock Screen.
    ///
    /// Can transition to: `dismissed`.
    case ended
    /// It is gone.
    case dismissed

    /// Whether it takes updates.
    var isRunning: Bool { self != .ended && self != .dismissed }
}
