// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation

/// An app's report that an activity ended on a device.
public struct ActivityDeparture: Hashable, Sendable {
    /// How the activity ended on the device.
    public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
        /// It has ended there; the Lock Screen may show its last content for some hours.
        case ended

        /// The user, or the system, removed it from the Lock Screen.
        case dismissed
    }

    public var installation: InstallationID
    public var reason: Reason

    /// When it ended; `nil` means now.
    ///
    /// A late report does not affect a later token.
    public var time: Date?

    public init(installation: InstallationID, reason: Reason, time: Date? = nil) {
        self.installation = installation
        self.reason = reason
        self.time = time
    }
}
