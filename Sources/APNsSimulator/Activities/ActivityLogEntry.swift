// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// An entry of a timeline with what it belongs to.
public struct ActivityLogEntry: Sendable, Hashable, Codable {
    /// The device.
    public var device: VirtualDeviceID
    /// The app.
    public var bundleID: String
    /// The activity; `nil` for a push that started none.
    public var activity: ActivityID?
    /// What happened, or did not.
    public var entry: ActivityTimelineEntry
}
