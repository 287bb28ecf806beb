// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import PushModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What callers of the SNS endpoint call platform applications and endpoints: names for apps, and devices.
public protocol PlatformStore: Sendable {
    /// Makes a platform application with its credential, and its app where there is none, in one transaction.
    ///
    /// One that is there keeps its endpoints: its attributes are set, and its credential takes the place of the one before.
    /// - Parameters:
    ///   - application: the application.
    ///   - credential: the credential that it names.
    /// - Returns: the application as it is stored now.
    /// - Throws: ``StoreError`` `.conflict` when there is one of that name for another app or environment.
    @discardableResult
    func putApplication(
        _ application: PlatformApplication,
        credential: Credential
    ) async throws -> PlatformApplication

    /// The platform application of that name, or `nil`.
    func application(_ name: PlatformApplication.Name) async throws -> PlatformApplication?

    /// The platform applications in the order of their names.
    ///
    /// - Parameters:
    ///   - app: the only app whose applications are wanted; `nil` for those of every app.
    ///   - cursor: the name behind which to begin; `nil` begins at the first one.
    ///   - limit: the most applications to answer, 1...1000.
    /// - Returns: a page of applications.
    /// - Throws: ``StoreError``.
    func applications(
        of app: AppID?,
        after cursor: PlatformApplication.Name?,
        limit: Int
    ) async throws -> Page<PlatformApplication, PlatformApplication.Name>

    /// Sets attributes of a platform application, and replaces its credential where one is given, in one transaction.
    ///
    /// - Parameters:
    ///   - name: the application.
    ///   - attributes: what is set; empty values take attributes away.
    ///   - credential: the credential that takes the place of the one before; its app is the application's.
    /// - Returns: the application as it is stored now; `nil` when there is none of that name.
    /// - Throws: ``StoreError``.
    func changeApplication(
        _ name: PlatformApplication.Name,
        attributes: [String: String],
        credential: Credential?
    ) async throws -> PlatformApplication?

    /// Removes a platform application and its credential. The app stays, with its devices.
    ///
    /// - Returns: what it was; `nil` when there was none of that name.
    @discardableResult
    func removeApplication(_ name: PlatformApplication.Name) async throws -> PlatformApplication?

    /// Adds a device, unless one of the app has the token in that environment.
    ///
    /// - Parameters:
    ///   - draft: what the caller said.
    ///   - now: the time of the registration.
    /// - Returns: the device, and whether it is a new one.
    /// - Throws: ``StoreError`` `.notFound` when there is no such app.
    func addEndpoint(_ draft: EndpointDraft, now: Date) async throws -> (device: Device, isNew: Bool)

    /// A device, with the platform application whose endpoint it is.
    ///
    /// - Parameters:
    ///   - installation: the device.
    ///   - name: the application.
    /// - Returns: both; `nil` when there is no application of that name, and no device when its app has none of that id in
    ///   its environment.
    /// - Throws: ``StoreError``.
    func endpoint(
        _ installation: InstallationID,
        of name: PlatformApplication.Name
    ) async throws -> (application: PlatformApplication, device: Device?)?

    /// Changes a device.
    ///
    /// A token that another device of the app has in that environment moves to this one, and the other one is removed.
    /// - Parameters:
    ///   - installation: the device.
    ///   - app: its app.
    ///   - environment: where it is sent to.
    ///   - change: what changes.
    ///   - now: the time of the change.
    /// - Returns: the device as it is now; `nil` when the app has no such device in that environment.
    /// - Throws: ``StoreError``.
    func changeEndpoint(
        _ installation: InstallationID,
        of app: AppID,
        in environment: APNsEnvironment,
        by change: EndpointChange,
        now: Date
    ) async throws -> Device?

    /// Removes a device for good, as `removeDevice` does.
    ///
    /// - Parameters:
    ///   - installation: the device.
    ///   - app: its app.
    ///   - environment: where it is sent to.
    ///   - now: the time of the removal.
    /// - Returns: whether there was one in that environment.
    /// - Throws: ``StoreError``.
    @discardableResult
    func removeEndpoint(
        _ installation: InstallationID,
        of app: AppID,
        in environment: APNsEnvironment,
        now: Date
    ) async throws -> Bool

    /// An app's devices in one environment, in the order of their first registration, invalid ones included.
    ///
    /// - Parameters:
    ///   - app: the app; one that does not exist has none.
    ///   - environment: where they are sent to.
    ///   - cursor: the place behind which to begin; `nil` begins at the first device.
    ///   - limit: the most devices to answer, 1...1000.
    /// - Returns: a page of devices.
    /// - Throws: ``StoreError``.
    func endpoints(
        of app: AppID,
        in environment: APNsEnvironment,
        after cursor: DeviceCursor?,
        limit: Int
    ) async throws -> Page<Device, DeviceCursor>
}
