// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// The newest alert of an activity: each phone shows it once, also one whose push with it was overtaken.
public struct ActivityAlert: Hashable, Sendable, Codable {
    /// What phones show and sound.
    public let alert: LiveActivityAlert

    /// The version of the activity that it came with; phones that were sent that one have shown it.
    public let version: Int

    /// How eagerly it is delivered.
    public let priority: Priority

    /// Takes an alert, and the version and the priority of the change that it came with.
    public init(alert: LiveActivityAlert, version: Int, priority: Priority) {
        self.alert = alert
        self.version = version
        self.priority = priority
    }
}
