// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension StoreDecorator {
    @discardableResult
    public func register(_ registration: DeviceRegistration, now: Date) async throws -> Device {
        try await self.delegate { try await self.base.register(registration, now: now) }
    }

    @discardableResult
    public func register(_ registrations: [DeviceRegistration], now: Date) async throws -> Int {
        try await self.delegate { try await self.base.register(registrations, now: now) }
    }

    public func device(_ installation: InstallationID, of app: AppID) async throws -> Device? {
        try await self.delegate { try await self.base.device(installation, of: app) }
    }

    public func devices(
        of app: AppID,
        after cursor: DeviceCursor?,
        limit: Int
    ) async throws -> Page<Device, DeviceCursor> {
        try await self.delegate { try await self.base.devices(of: app, after: cursor, limit: limit) }
    }

    @discardableResult
    public func removeDevice(_ installation: InstallationID, of app: AppID) async throws -> Bool {
        try await self.delegate { try await self.base.removeDevice(installation, of: app) }
    }

    public func correctEnvironments(_ targets: [Target], of app: AppID, registeredUntil: Date) async throws -> Int {
        try await self.delegate {
            try await self.base.correctEnvironments(targets, of: app, registeredUntil: registeredUntil)
        }
    }

    public func registered(_ targets: [Target], of app: AppID) async throws -> Set<Target> {
        try await self.delegate { try await self.base.registered(targets, of: app) }
    }

    public func targets(
        of app: AppID,
        installations: [InstallationID]
    ) async throws -> [InstallationID: Target] {
        try await self.delegate { try await self.base.targets(of: app, installations: installations) }
    }

    public func installations(of app: AppID, users: [UserID]) async throws -> [InstallationID] {
        try await self.delegate { try await self.base.installations(of: app, users: users) }
    }

    public func targets(of app: AppID, users: [UserID]) async throws -> [UserID: [Target]] {
        try await self.delegate { try await self.base.targets(of: app, users: users) }
    }

    public func count(of audience: Audience, app: AppID, through: Int64?) async throws -> Int {
        try await self.delegate { try await self.base.count(of: audience, app: app, through: through) }
    }

    public func members(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        limit: Int,
        depth: MemberDetails.Depth
    ) async throws -> [AudienceMember] {
        try await self.delegate {
            try await self.base.members(of: audience, app: app, in: range, limit: limit, depth: depth)
        }
    }

    public func installations(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        limit: Int
    ) async throws -> [AudienceInstallation] {
        try await self.delegate {
            try await self.base.installations(of: audience, app: app, in: range, limit: limit)
        }
    }

    public func timeZones(of audience: Audience, app: AppID, through: Int64) async throws -> [String?: Int] {
        try await self.delegate { try await self.base.timeZones(of: audience, app: app, through: through) }
    }

    public func lastPlace(of app: AppID) async throws -> Int64 {
        try await self.delegate { try await self.base.lastPlace(of: app) }
    }
}
