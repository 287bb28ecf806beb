// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The devices.
public protocol DeviceStore: Sendable {
    /// Adds an installation, or takes its latest word.
    ///
    /// The device becomes active whatever it was, `registeredAt` and `seenAt` become `now`, the profile is replaced.
    /// A token that another installation of the app had in that environment moves to this one; since an installation
    /// without a token cannot be reached, the other one is removed.
    /// - Parameters:
    ///   - registration: what the app told; check its profile first by `DeviceProfile.validate()`. Its `registeredAt`
    ///     does not count.
    ///   - now: the time of the registration.
    /// - Returns: the device as it is stored now.
    /// - Throws: ``StoreError`` `.notFound` when there is no such app.
    @discardableResult
    func register(_ registration: DeviceRegistration, now: Date) async throws -> Device

    /// Adds or updates many installations, in their order, in one transaction; each as by ``register(_:now:)``.
    ///
    /// One with a `registeredAt` of its own is stored with that as `registeredAt` and `seenAt`, and passed over when the
    /// installation, or another one that has the token in that environment, registered after its `precedence`.
    /// - Parameters:
    ///   - registrations: what the apps told, at most 10,000. Other changes wait meanwhile: 500 at a time keep the
    ///     wait within milliseconds.
    ///   - now: the time of the registrations that have none of their own, and of the first registration of all that
    ///     are new.
    /// - Returns: how many of them were stored; the others were passed over.
    /// - Throws: ``StoreError`` `.notFound` when there is no such app; nothing is stored then.
    @discardableResult
    func register(_ registrations: [DeviceRegistration], now: Date) async throws -> Int

    /// The device of that installation, or `nil`.
    func device(_ installation: InstallationID, of app: AppID) async throws -> Device?

    /// An app's devices in the order of their first registration, invalid ones included.
    ///
    /// - Parameters:
    ///   - app: the app; one that does not exist has none.
    ///   - cursor: the place behind which to begin; `nil` begins at the first device.
    ///   - limit: the most devices to answer, 1...1000.
    /// - Returns: a page of devices.
    /// - Throws: ``StoreError``.
    func devices(of app: AppID, after cursor: DeviceCursor?, limit: Int) async throws -> Page<Device, DeviceCursor>

    /// Removes a device.
    ///
    /// - Returns: whether there was such a device.
    @discardableResult
    func removeDevice(_ installation: InstallationID, of app: AppID) async throws -> Bool

    /// Corrects the environment of devices whose token was found to belong to the other one, in one transaction.
    ///
    /// A device is corrected, and active, unless it is invalid, registered after `registeredUntil`, or another device of
    /// the app has its token in that environment. Nothing else of it changes. Repeating it changes nothing more and
    /// answers the same.
    /// - Parameters:
    ///   - targets: tokens, each with the environment to which it belongs; at most 10,000.
    ///   - app: the app; one that does not exist has no devices.
    ///   - registeredUntil: what devices said later is left as it is.
    /// - Returns: how many of the targets are those of devices that have not registered since.
    /// - Throws: ``StoreError``.
    func correctEnvironments(_ targets: [Target], of app: AppID, registeredUntil: Date) async throws -> Int

    /// The targets that devices have.
    ///
    /// - Parameters:
    ///   - targets: tokens, each with its environment; at most 10,000.
    ///   - app: the app; one that does not exist has no devices.
    /// - Returns: those of them that a device of the app has now that is not invalid.
    /// - Throws: ``StoreError``.
    func registered(_ targets: [Target], of app: AppID) async throws -> Set<Target>

    /// Where notifications for installations go.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - installations: the installations, at most 100,000.
    /// - Returns: the targets of those that exist and are not invalid; the others are absent.
    /// - Throws: ``StoreError``.
    func targets(
        of app: AppID,
        installations: [InstallationID]
    ) async throws -> [InstallationID: Target]

    /// The installations of users, in the order of their registration.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - users: the users, at most 100,000.
    /// - Returns: the users' devices that are not invalid.
    /// - Throws: ``StoreError``.
    func installations(of app: AppID, users: [UserID]) async throws -> [InstallationID]

    /// Where notifications for users go.
    ///
    /// - Parameters:
    ///   - app: the app.
    ///   - users: the users, at most 100,000.
    /// - Returns: the targets of each user's devices that are not invalid; users without any are absent.
    /// - Throws: ``StoreError``.
    func targets(of app: AppID, users: [UserID]) async throws -> [UserID: [Target]]
}
