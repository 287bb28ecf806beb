// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// A platform endpoint: the part of a device that callers of the SNS endpoint see.
public struct PlatformEndpoint: Hashable, Sendable {
    public let installation: DeviceID
    public let target: Target
    public let status: DeviceStatus

    /// Custom data of the caller; `nil` for none.
    public let userData: String?

    public init(installation: DeviceID, target: Target, status: DeviceStatus, userData: String?) {
        self.installation = installation
        self.target = target
        self.status = status
        self.userData = userData
    }
}

/// The devices that are the endpoints of a platform application.
public struct EndpointContainer: Hashable, Sendable {
    public let app: AppID
    public let environment: APNsEnvironment

    /// The `Device.container` of the devices.
    public let name: String

    public init(app: AppID, environment: APNsEnvironment, name: String = "") {
        self.app = app
        self.environment = environment
        self.name = name
    }
}

/// A device that a caller of the SNS endpoint creates as a platform endpoint.
public struct NewEndpoint: Hashable, Sendable {
    public var container: EndpointContainer

    /// The installation that is made unless a device of the container has the token already.
    public var installation: DeviceID

    public var token: DeviceToken
    public var isEnabled: Bool

    /// Custom data of the caller; `nil` for none.
    public var userData: String?

    public init(
        container: EndpointContainer,
        installation: DeviceID,
        token: DeviceToken,
        isEnabled: Bool = true,
        userData: String? = nil
    ) {
        self.container = container
        self.installation = installation
        self.token = token
        self.isEnabled = isEnabled
        self.userData = userData
    }
}

/// The changes of a caller of the SNS endpoint to a device; `nil` keeps a value.
public struct EndpointUpdate: Hashable, Sendable {
    /// The device's token; to say it is to register the device once more.
    public var token: DeviceToken?

    public var isEnabled: Bool?

    /// Custom data of the caller; empty for none.
    public var userData: String?

    /// The registration time of a device that is copied from another server: one of `DeviceRegistration.copyTimes`.
    ///
    /// A change with it does not affect a device that has registered here since.
    public var copiedAt: Date?

    public init(
        token: DeviceToken? = nil,
        isEnabled: Bool? = nil,
        userData: String? = nil,
        copiedAt: Date? = nil
    ) {
        self.token = token
        self.isEnabled = isEnabled
        self.userData = userData
        self.copiedAt = copiedAt
    }

    public func applied(to device: Device, now: Date) -> Device {
        var device = device
        let now = Date(millisecondsSince1970: now.millisecondsSince1970)
        if let copiedAt {
            guard DeviceRegistration.isCopy(device.registeredAt) else { return device }
            device.registeredAt = copiedAt
            device.seenAt = copiedAt
        }
        if let token {
            device.token = token
            device.registeredAt = now
            device.seenAt = now
        }
        if let isEnabled {
            if isEnabled {
                device.status = .active
            } else if device.status.isReachable {
                // A suspect device is shown as disabled as well, and still sent to by others: from now on it is not.
                device.status = .disabled(since: now)
            }
        }
        if let userData { device.userData = userData.isEmpty ? nil : userData }
        return device
    }
}

extension DeviceStatus {
    /// The reason of a device that a caller disabled; it is not an APNs reason.
    private static let byCaller = RejectionReason(rawValue: "DisabledByCaller")

    /// Nothing is sent to the device because a caller said so.
    public static func disabled(since time: Date) -> DeviceStatus { .invalid(reason: Self.byCaller, since: time) }

    /// Whether the SNS endpoint reports the device as enabled: its token is not suspect, and no caller has disabled it.
    public var isEnabled: Bool { self == .active }
}
