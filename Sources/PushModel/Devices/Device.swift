// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// One installation of an app, and how it is reached.
public struct Device: Hashable, Sendable {
    public let app: AppID

    /// The installation, unique within the app.
    public let installation: DeviceID

    /// The token of the latest registration.
    public var token: DeviceToken

    public var environment: APNsEnvironment
    public var profile: DeviceProfile

    /// When the installation was registered first.
    ///
    /// Kept to the millisecond, as all times here.
    public let createdAt: Date

    /// When the app registered it last; a 410 whose time is older is void.
    public var registeredAt: Date

    /// When the app was last heard of, by a registration or otherwise.
    public var seenAt: Date

    public var status: DeviceStatus

    /// Custom data of a caller of the SNS endpoint, at most 2048 bytes; `nil` for none.
    ///
    /// Registrations do not change it.
    public var userData: String?

    /// The platform application whose endpoint it is: its name as `platform/name`.
    ///
    /// Empty for the app's own devices, which are the endpoints of its first application. See `EndpointContainer`.
    public var container = ""

    public init(
        app: AppID,
        installation: DeviceID,
        token: DeviceToken,
        environment: APNsEnvironment,
        profile: DeviceProfile = DeviceProfile(),
        createdAt: Date,
        registeredAt: Date,
        seenAt: Date,
        status: DeviceStatus = .active,
        userData: String? = nil
    ) {
        self.app = app
        self.installation = installation
        self.token = token
        self.environment = environment
        self.profile = profile
        self.createdAt = createdAt
        self.registeredAt = registeredAt
        self.seenAt = seenAt
        self.status = status
        self.userData = userData
    }

    public var target: Target { Target(token: self.token, environment: self.environment) }
}

/// The status of a device token, as far as APNs has reported it.
public enum DeviceStatus: Hashable, Sendable {
    /// Nothing speaks against the token.
    ///
    /// Can transition to: `suspect` by a `BadDeviceToken` in its own environment, `invalid` by a 410.
    case active

    /// APNs called the token bad in the device's own environment; most often it belongs to the other one. It is still
    /// sent to.
    ///
    /// Can transition to: `active` when the app registers again, `invalid` by a 410 or by a `BadDeviceToken` in the other
    /// environment.
    case suspect(reason: RejectionReason, since: Date)

    /// The token is unregistered, or bad in both environments; nothing is sent to it.
    ///
    /// Can transition to: `active` when the app registers again.
    case invalid(reason: RejectionReason, since: Date)
}

extension DeviceStatus {
    /// Whether the device is sent to: all but `invalid` ones are.
    public var isReachable: Bool {
        switch self {
        case .active, .suspect: true
        case .invalid: false
        }
    }
}

/// An app's word that it runs on a device and is reached by a token.
public struct DeviceRegistration: Hashable, Sendable {
    /// The times of registrations that were copied from a source without times, in milliseconds since 1970.
    ///
    /// They are earlier than any APNs timestamp, and distinguish copies; none counts as later than another.
    public static let copyTimes: Range<Int64> = 0..<1 << 31

    public static func isCopy(_ time: Date) -> Bool { self.copyTimes.contains(time.millisecondsSince1970) }

    public var app: AppID
    public var installation: DeviceID
    public var token: DeviceToken
    public var environment: APNsEnvironment

    /// The app's data about the device and its user; replaces the former data.
    public var profile: DeviceProfile

    /// When the app reported the data, if it is registered later, for example by an import; `nil` means now.
    ///
    /// Newer data of the app, or of another owner of the token, has precedence.
    public var registeredAt: Date?

    /// The ``Device/container`` of a new device; a known one keeps its own.
    public var container = ""

    /// The right of the caller to change the device.
    public var access = DeviceAccess.backend()

    /// The time after which another registration of the device or the token has precedence; `nil` if the registration
    /// has no time.
    public var precedence: Date? {
        self.registeredAt.map { Self.isCopy($0) ? Date(millisecondsSince1970: Self.copyTimes.upperBound - 1) : $0 }
    }

    public init(
        app: AppID,
        installation: DeviceID,
        token: DeviceToken,
        environment: APNsEnvironment,
        profile: DeviceProfile = DeviceProfile(),
        registeredAt: Date? = nil
    ) {
        self.app = app
        self.installation = installation
        self.token = token
        self.environment = environment
        self.profile = profile
        self.registeredAt = registeredAt
    }
}
