// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// Reads the devices of audiences, except for invalid ones.
public protocol AudienceStore: Sendable {
    /// Counts the devices of an audience up to the place `through`; all devices if it is `nil`.
    func count(of audience: Audience, app: AppID, through: Int64?) async throws -> Int

    /// Reads devices of an audience in the order of their places.
    ///
    /// `limit` is 1...10,000. `depth` selects the data that is read besides the target. A device is read as it is now, so
    /// devices that changed since an earlier page are in this one if they meet the conditions.
    /// - Returns: the devices; fewer than `limit` only at the end of the range.
    func members(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        limit: Int,
        depth: PersonalizationAttributes.Depth
    ) async throws -> [AudienceDevice]

    /// Reads the IDs of devices as ``members(of:app:in:limit:depth:)`` reads the devices.
    func installations(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        limit: Int
    ) async throws -> [(place: Int64, installation: DeviceID)]

    /// Counts the devices up to the place `through` by their time zones, at most 10,000; those without one are under `nil`.
    func timeZones(of audience: Audience, app: AppID, through: Int64) async throws -> [String?: Int]

    /// The place of an app's last device; 0 when it has none.
    func lastPlace(of app: AppID) async throws -> Int64
}

/// Which devices of an audience are read.
public struct AudienceRange: Hashable, Sendable {
    /// The place behind which to begin; 0 begins at the first device.
    public var after: Int64

    /// The last place; `nil` reads to the end.
    public var through: Int64?

    public var zones: TimeZoneFilter

    public init(after: Int64 = 0, through: Int64? = nil, zones: TimeZoneFilter = .any) {
        self.after = after
        self.through = through
        self.zones = zones
    }
}
