// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation
public import PushModel

public protocol DeviceStore: Sendable {
    /// Adds a device, or updates it.
    ///
    /// The device becomes active, regardless of its status; `registeredAt` and `seenAt` become `now`, and the profile
    /// is replaced. The token moves here from another device of the app and environment, which is deleted. Validate the
    /// profile first with `DeviceProfile.validate()`. Ignores the `registeredAt` of `registration`. Concurrent calls
    /// share transactions, with the effect of one call after the other.
    ///
    /// A user has at most ``DeviceLimit/devicesOfUser`` devices: a device that is new for its user takes the user ID from
    /// the device of the user that registered longest ago.
    /// - Throws: `DeviceAccessError` if the `access` of the registration does not allow the change.
    @discardableResult
    func register(_ registration: DeviceRegistration, now: Date) async throws -> Device

    /// Adds or updates many devices, in their order, in one transaction; each as by ``register(_:now:)``.
    ///
    /// A registration with a `registeredAt` is stored with it as `registeredAt` and `seenAt`. It is skipped if the
    /// device, or another one with the token in that environment, registered after its `precedence`. `registrations`
    /// has at most 10,000 elements. Other changes wait for the transaction, about 25 ms with 1,000 on SQLite. `now` is
    /// the registration time of those without `registeredAt`, and the first registration of all new devices.
    /// - Returns: the number of stored registrations; the others were skipped.
    @discardableResult
    func register(_ registrations: [DeviceRegistration], now: Date) async throws -> Int

    func device(_ installation: DeviceID, of app: AppID) async throws -> Device?

    /// An app's devices in the order of their first registration; with `state`, only those in that state.
    ///
    /// With `state`, the store reads at most 10,000 devices for one page, which may be empty although more follow.
    func devices(
        of app: AppID,
        in state: DeviceStatus.State?,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<Device, Int64>

    /// The devices of an app with this token or user, at most 1,000, in the order of their first registration, regardless
    /// of their status.
    func devices(of app: AppID, matching search: DeviceSearch) async throws -> [Device]

    /// Removes a device and its push-to-start tokens; returns whether it existed.
    ///
    /// - Throws: `DeviceAccessError` if `access` does not allow it.
    @discardableResult
    func removeDevice(_ installation: DeviceID, of app: AppID, access: DeviceAccess, now: Date) async throws -> Bool

    /// Resets the secret of a device, so that the next one that its app presents binds it; returns whether it existed.
    @discardableResult
    func resetSecret(of installation: DeviceID, app: AppID) async throws -> Bool

    /// Fixes the environment of devices whose token was found to belong to the other one, in one transaction.
    ///
    /// A device is fixed, and active, unless it is invalid, registered after `registeredUntil`, or another device
    /// of the app has its token in that environment. `targets` has at most 10,000 elements.
    /// - Returns: the number of targets of devices that have not registered since; a repetition returns the same.
    func fixEnvironments(_ targets: [Target], of app: AppID, registeredUntil: Date) async throws -> Int

    /// Those of at most 10,000 targets that a device of the app has now that is not invalid.
    func registered(_ targets: [Target], of app: AppID) async throws -> Set<Target>

    /// The targets of those of at most 100,000 installations that exist and are not invalid.
    func targets(of app: AppID, installations: [DeviceID]) async throws -> [DeviceID: Target]

    /// The devices of at most 100,000 users that are not invalid, each with its user.
    ///
    /// Reads at most ``DeviceLimit/devicesOfUser`` devices of a user, those that registered first last, and at most
    /// `limit` + 1 rows. If there are more than `limit`, it reads again, with fewer devices of each user, but at least
    /// one. So no user takes the place of another one.
    /// - Parameter limit: at least the number of users.
    /// - Returns: at most `limit` devices, in the order of their first registration.
    func devices(of app: AppID, users: [UserID], limit: Int) async throws -> [UserDevice]
}

extension DeviceStore {
    @discardableResult
    public func removeDevice(_ installation: DeviceID, of app: AppID) async throws -> Bool {
        try await self.removeDevice(installation, of: app, access: .backend(), now: Date())
    }
}

/// A device of a user, and how it is reached.
public struct UserDevice: Hashable, Sendable {
    public var user: UserID
    public var installation: DeviceID
    public var target: Target

    public init(user: UserID, installation: DeviceID, target: Target) {
        self.user = user
        self.installation = installation
        self.target = target
    }
}

public enum DeviceLimit {
    /// How many devices of a user can be reached by the user's ID.
    public static let devicesOfUser = 100

    /// How many push-to-start tokens a device can register with a client key: one for each attributes type.
    public static let startTokens = 200
}

/// What devices are searched for.
public enum DeviceSearch: Hashable, Sendable {
    /// In both environments.
    case token(DeviceToken)
    case user(UserID)
}

extension Device {
    package init(_ registration: DeviceRegistration, createdAt: Date, now: Date) {
        self.init(
            app: registration.app,
            installation: registration.installation,
            token: registration.token,
            environment: registration.environment,
            profile: registration.profile,
            createdAt: createdAt,
            registeredAt: now,
            seenAt: now
        )
        self.container = registration.container
    }
}

extension DeviceProfile {
    /// The tags as JSON; `nil` if there are none.
    package var storedTags: String? {
        guard !self.tags.isEmpty else { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        for (name, text) in self.tags.sorted(by: { $0.key < $1.key }) {
            writer.key(name)
            writer.string(text)
        }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The topics as JSON in the order of their bytes, as SQLite reads them from a table.
    package var storedTopics: String {
        guard !self.topics.isEmpty else { return "[]" }
        var writer = JSONWriter()
        writer.beginArray()
        for topic in self.topics.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) { writer.string(topic) }
        writer.endArray()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    package static func tags(stored text: String) throws -> [String: String] {
        try StoredJSON.decodeTexts(text, "tags of a device")
    }

    package static func topics(stored text: String) throws -> Set<String> {
        text == "[]" ? [] : try StoredJSON.decode(Set<String>.self, text, "topics of a device")
    }
}

extension DeviceStatus {
    /// The case of a status, by its name in the API; the position of the case is stored.
    public enum State: String, CaseIterable, Sendable {
        case active, suspect, invalid

        package var stored: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    }

    package init(stored row: StoredRow) throws {
        let reason = RejectionReason(rawValue: try row.text("status_reason") ?? "")
        let since = try row.clampedDate("status_since") ?? Date(millisecondsSince1970: 0)
        switch try row.number("status") {
        case 0: self = .active
        case 1: self = .suspect(reason: reason, since: since)
        default: self = .invalid(reason: reason, since: since)
        }
    }

    package var stored: (number: Int, reason: String?, since: Int64?) {
        switch self {
        case .active: (0, nil, nil)
        case .suspect(let reason, let since): (1, reason.rawValue, since.millisecondsSince1970)
        case .invalid(let reason, let since): (2, reason.rawValue, since.millisecondsSince1970)
        }
    }
}

extension Target {
    package init(stored row: StoredRow) throws {
        self.init(
            token: try DeviceToken(storedBytes: row.openedBlob("token")),
            environment: APNsEnvironment(stored: try row.number("environment"))
        )
    }
}
