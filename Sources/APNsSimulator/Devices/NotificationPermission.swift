// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What the person lets an app's notifications do; the cases of `UNAuthorizationStatus`.
public enum NotificationPermission: String, Sendable, Hashable, Codable, CaseIterable {
    /// The app has not asked.
    case notDetermined
    /// The person said no.
    case denied
    /// The person said yes.
    case authorized
    /// Notifications come quietly until the person decides.
    case provisional
    /// As authorized, for an app clip.
    case ephemeral

    /// Whether notifications enter the list at all.
    public var showsNotifications: Bool { self != .notDetermined && self != .denied }
    /// Whether notifications may light up, sound and badge.
    public var interrupts: Bool { self == .authorized || self == .ephemeral }
}
