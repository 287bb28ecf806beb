// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation

/// What an app tells of a phone that shows an activity no more.
public struct ActivityDeparture: Hashable, Sendable {
    /// How the activity left the phone.
    public enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
        /// It has ended there; the Lock Screen may show its last content for some hours.
        case ended

        /// The person, or the system, has taken it from the Lock Screen.
        case dismissed
    }

    public var installation: InstallationID
    public var reason: Reason

    /// When it did; `nil` means now.
    ///
    /// What comes late never undoes a younger token.
    public var time: Date?

    public init(installation: InstallationID, reason: Reason, time: Date? = nil) {
        self.installation = installation
        self.reason = reason
        self.time = time
    }
}
