// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The device and the app that an activity lives on, as far as activities ask.
struct ActivityHost: Sendable {
    var device: VirtualDeviceID
    /// The version of the device's iOS; 0 for another system.
    var system: SystemVersion
    /// `NSSupportsLiveActivities` of the app's Info.plist.
    var supportsLiveActivities = true
    /// `NSSupportsLiveActivitiesFrequentUpdates` of the app's Info.plist.
    var supportsFrequentUpdates = false
    /// Whether the app is on the screen.
    var isForeground = false

    /// Whether the system is this version or a later one.
    func isAtLeast(_ major: Int, _ minor: Int = 0) -> Bool {
        self.system >= SystemVersion(major: major, minor: minor)
    }
}

/// A Live Activity push as it comes to a device.
struct ActivityArrival: Sendable {
    /// By which way it came.
    enum Way: Sendable {
        /// To the token of an activity, or to one that an activity had.
        case token(ActivityID)
        /// To the token with which activities of a type are started.
        case pushToStart(attributesType: String)
        /// By the channel that an activity is subscribed to.
        case broadcast(ActivityID)
    }

    var host: ActivityHost
    var bundleID: String
    var way: Way
    var payload: [UInt8]
    /// Whether it has priority 10, named or assumed.
    var isUrgent: Bool
    var apnsID: APNsID?
    /// When APNs accepted it, in seconds since 1970.
    var acceptedAt: Double

    var origin: ActivityTimelineEntry.Origin { if case .broadcast = self.way { .broadcast } else { .push } }
}
