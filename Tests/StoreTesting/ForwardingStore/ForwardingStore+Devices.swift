// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension ForwardingStore {
    /// Asks the store that does the work.
    @discardableResult
    public func register(_ registration: DeviceRegistration, now: Date) async throws -> Device {
        try await self.forward { try await self.base.register(registration, now: now) }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func register(_ registrations: [DeviceRegistration], now: Date) async throws -> Int {
        try await self.forward { try await self.base.register(registrations, now: now) }
    }

    /// Asks the store that does the work.
    public func device(_ installation: InstallationID, of app: AppID) async throws -> Device? {
        try await self.forward { try await self.base.device(installation, of: app) }
    }

    /// Asks the store that does the work.
    public func devices(
        of app: AppID,
        after cursor: DeviceCursor?,
        limit: Int
    ) async throws -> Page<Device, DeviceCursor> {
        try await self.forward { try await self.base.devices(of: app, after: cursor, limit: limit) }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func removeDevice(_ installation: InstallationID, of app: AppID) async throws -> Bool {
        try await self.forward { try await self.base.removeDevice(installation, of: app) }
    }

    /// Asks the store that does the work.
    public func correctEnvironments(_ targets: [Target], of app: AppID, registeredUntil: Date) async throws -> Int {
        try await self.forward {
            try await self.base.correctEnvironments(targets, of: app, registeredUntil: registeredUntil)
        }
    }

    /// Asks the store that does the work.
    public func registered(_ targets: [Target], of app: AppID) async throws -> Set<Target> {
        try await self.forward { try await self.base.registered(targets, of: app) }
    }

    /// Asks the store that does the work.
    public func targets(
        of app: AppID,
        installations: [InstallationID]
    ) async throws -> [InstallationID: Target] {
        try await self.forward { try await self.base.targets(of: app, installations: installations) }
    }

    /// Asks the store that does the work.
    public func installations(of app: AppID, users: [UserID]) async throws -> [InstallationID] {
        try await self.forward { try await self.base.installations(of: app, users: users) }
    }

    /// Asks the store that does the work.
    public func targets(of app: AppID, users: [UserID]) async throws -> [UserID: [Target]] {
        try await self.forward { try await self.base.targets(of: app, users: users) }
    }

    /// Asks the store that does the work.
    public func count(of audience: Audience, app: AppID, through: Int64?) async throws -> Int {
        try await self.forward { try await self.base.count(of: audience, app: app, through: through) }
    }

    /// Asks the store that does the work.
    public func members(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        limit: Int,
        depth: MemberDetails.Depth
    ) async throws -> [AudienceMember] {
        try await self.forward {
            try await self.base.members(of: audience, app: app, in: range, limit: limit, depth: depth)
        }
    }

    /// Asks the store that does the work.
    public func installations(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        limit: Int
    ) async throws -> [AudienceInstallation] {
        try await self.forward {
            try await self.base.installations(of: audience, app: app, in: range, limit: limit)
        }
    }

    /// Asks the store that does the work.
    public func timeZones(of audience: Audience, app: AppID, through: Int64) async throws -> [String?: Int] {
        try await self.forward { try await self.base.timeZones(of: audience, app: app, through: through) }
    }

    /// Asks the store that does the work.
    public func lastPlace(of app: AppID) async throws -> Int64 {
        try await self.forward { try await self.base.lastPlace(of: app) }
    }
}
