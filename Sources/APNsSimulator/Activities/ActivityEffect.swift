// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// What the world has to do because of something that happened to a Live Activity.
enum ActivityEffect: Hashable, Sendable {
    /// Let the activity look at the clock at this time, in seconds since 1970.
    case look(ActivityID, at: Double)
    /// Make an update token for the activity, in the place of the one that it has.
    case issueToken(ActivityID)
    /// Answer 410 for this token from now on.
    case endToken(TokenKey)
    /// Make another push-to-start token for a type, in the place of the one that there is.
    case rotatePushToStart(VirtualDeviceID, bundleID: String, attributesType: String)
    /// Tell whoever watches.
    case record(ActivityLogEntry)
    /// The app is told something; it runs in the background for that.
    case appCall(VirtualDeviceID, bundleID: String, call: AppCall.Name, details: [String: String])
    /// Give the activity the broadcasts of a channel.
    case subscribe(ActivityID, channel: String)
    /// Take them away.
    case unsubscribe(ActivityID, channel: String)
}
