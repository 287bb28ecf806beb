// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation
public import PushModel
public import PushStore

extension ForwardingStore {
    /// Asks the store that does the work.
    @discardableResult
    public func putApplication(
        _ application: PlatformApplication,
        credential: Credential
    ) async throws -> PlatformApplication {
        try await self.forward { try await self.base.putApplication(application, credential: credential) }
    }

    /// Asks the store that does the work.
    public func application(_ name: PlatformApplication.Name) async throws -> PlatformApplication? {
        try await self.forward { try await self.base.application(name) }
    }

    /// Asks the store that does the work.
    public func applications(
        of app: AppID?,
        after cursor: PlatformApplication.Name?,
        limit: Int
    ) async throws -> Page<PlatformApplication, PlatformApplication.Name> {
        try await self.forward { try await self.base.applications(of: app, after: cursor, limit: limit) }
    }

    /// Asks the store that does the work.
    public func changeApplication(
        _ name: PlatformApplication.Name,
        attributes: [String: String],
        credential: Credential?
    ) async throws -> PlatformApplication? {
        try await self.forward {
            try await self.base.changeApplication(name, attributes: attributes, credential: credential)
        }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func removeApplication(_ name: PlatformApplication.Name) async throws -> PlatformApplication? {
        try await self.forward { try await self.base.removeApplication(name) }
    }

    /// Asks the store that does the work.
    public func endpoint(
        _ installation: InstallationID,
        of name: PlatformApplication.Name
    ) async throws -> (application: PlatformApplication, device: Device?)? {
        try await self.forward { try await self.base.endpoint(installation, of: name) }
    }

    /// Asks the store that does the work.
    public func addEndpoint(_ draft: EndpointDraft, now: Date) async throws -> (device: Device, isNew: Bool) {
        try await self.forward { try await self.base.addEndpoint(draft, now: now) }
    }

    /// Asks the store that does the work.
    public func changeEndpoint(
        _ installation: InstallationID,
        of app: AppID,
        in environment: APNsEnvironment,
        by change: EndpointChange,
        now: Date
    ) async throws -> Device? {
        try await self.forward {
            try await self.base.changeEndpoint(installation, of: app, in: environment, by: change, now: now)
        }
    }

    /// Asks the store that does the work.
    public func endpoints(
        of app: AppID,
        in environment: APNsEnvironment,
        after cursor: DeviceCursor?,
        limit: Int
    ) async throws -> Page<Device, DeviceCursor> {
        try await self.forward {
            try await self.base.endpoints(of: app, in: environment, after: cursor, limit: limit)
        }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func removeEndpoint(
        _ installation: InstallationID,
        of app: AppID,
        in environment: APNsEnvironment,
        now: Date
    ) async throws -> Bool {
        try await self.forward {
            try await self.base.removeEndpoint(installation, of: app, in: environment, now: now)
        }
    }

    /// Asks the store that does the work.
    public func claimEndpointEvents(
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> EndpointEventClaim {
        try await self.forward {
            try await self.base.claimEndpointEvents(
                limit: limit,
                worker: worker,
                leaseDuration: leaseDuration,
                now: now
            )
        }
    }

    /// Asks the store that does the work.
    public func removeEndpointEvent(_ number: Int64, worker: WorkerID) async throws {
        try await self.forward { try await self.base.removeEndpointEvent(number, worker: worker) }
    }
}
