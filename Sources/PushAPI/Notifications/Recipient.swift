// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

/// One target of a notification, and by what the caller knows it.
struct Recipient: Sendable {
    var target: Target
    var device: InstallationID?
    var user: UserID?
}

/// What a ``TargetSelection`` comes to.
struct Recipients: Sendable {
    /// Who is sent to, in the caller's order.
    var elements: [Recipient] = []

    /// Devices that are not registered, or known to be gone.
    var skippedDevices: [InstallationID] = []

    /// Users without a device that can be reached.
    var skippedUsers: [UserID] = []
}
