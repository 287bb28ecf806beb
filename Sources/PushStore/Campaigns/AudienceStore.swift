// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// Reads the devices of audiences.
///
/// Only devices that are not invalid are read: the others cannot be reached.
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
        depth: MemberDetails.Depth
    ) async throws -> [AudienceMember]

    /// Reads the names of an audience's devices in the order of their places.
    ///
    /// `limit` is 1...10,000.
    /// - Returns: the devices; fewer than `limit` only at the end of the range.
    func installations(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        limit: Int
    ) async throws -> [AudienceInstallation]

    /// The time zones that the devices of an audience up to the place `through` reported.
    ///
    /// - Returns: the number of devices of each; those without one are under `nil`. At most 10,000 zones.
    func timeZones(of audience: Audience, app: AppID, through: Int64) async throws -> [String?: Int]

    /// The place of an app's last device; 0 when it has none.
    func lastPlace(of app: AppID) async throws -> Int64
}

public struct AudienceInstallation: Hashable, Sendable {
    /// Its place in the app's list of devices, by which the next ones are asked for.
    public let place: Int64

    public let installation: InstallationID

    public init(place: Int64, installation: InstallationID) {
        self.place = place
        self.installation = installation
    }
}

/// Which devices of an audience are read.
public struct AudienceRange: Hashable, Sendable {
    /// The place behind which to begin; 0 begins at the first device.
    public var after: Int64

    /// The last place; `nil` reads to the end.
    public var through: Int64?

    public var zones: ZoneFilter

    public init(after: Int64 = 0, through: Int64? = nil, zones: ZoneFilter = .any) {
        self.after = after
        self.through = through
        self.zones = zones
    }
}
