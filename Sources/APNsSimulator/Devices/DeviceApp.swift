// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// An app on a device that is unlike others.
struct DeviceApp: Codable, Sendable {
    var bundleID: String
    var traits = AppTraits()
    /// Its tokens that are active, in the order of their issue.
    var registrations: [RegistrationIndex]
    /// The number on its icon.
    var badge: Int?
    /// What waits for it in APNs's store.
    var waiting: StoredNotification?
    /// The background notification that waits on the device until the app may run.
    var held: NotificationRecord?
    /// When it is looked at whether the app may run, in seconds since 1970.
    var runPlannedAt: Double?
    var background = BackgroundBudget()
    /// When complications were updated within the last day; seconds since 1970.
    var complicationPushes: [Double] = []
    /// When widgets were reloaded within the last hour; seconds since 1970.
    var widgetPushes: [Double] = []
    /// Whether the app was removed and APNs has not taken note of it yet.
    var isRemoved = false

    init(bundleID: String, registrations: [RegistrationIndex]) {
        self.bundleID = bundleID
        self.registrations = registrations
    }
}
