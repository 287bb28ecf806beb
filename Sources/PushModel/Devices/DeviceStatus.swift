// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Whether notifications to a device make sense, as far as APNs has told.
public enum DeviceStatus: Hashable, Sendable {
    /// Nothing speaks against the token.
    ///
    /// Can transition to: `suspect` by a `BadDeviceToken`, `invalid` by a 410.
    case active

    /// APNs called the token bad; most often it belongs to the other environment. It is still sent to.
    ///
    /// Can transition to: `active` when the app registers again, `invalid` by a 410.
    case suspect(reason: RejectionReason, since: Date)

    /// The token is dead; nothing is sent to it.
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

    /// The app registered the device: whatever was held against it is void.
    public mutating func register() {
        self = .active
    }

    /// APNs answered 410: the token has been dead since a time.
    ///
    /// Apple's rule is to stop unless the device registered again after that time, so a registration that is
    /// younger leaves the status as it is.
    /// - Parameters:
    ///   - reason: the reason that APNs gave.
    ///   - inactiveSince: milliseconds since 1970, as APNs gave it.
    ///   - registeredAt: when the app last registered the device.
    /// - Returns: whether the device became invalid by this.
    @discardableResult
    public mutating func prune(reason: RejectionReason, inactiveSince: Int64, registeredAt: Date) -> Bool {
        guard self.isReachable, registeredAt.millisecondsSince1970 <= inactiveSince else { return false }
        self = .invalid(reason: reason, since: Date(millisecondsSince1970: inactiveSince))
        return true
    }

    /// APNs called the token bad.
    ///
    /// - Parameters:
    ///   - reason: the reason that APNs gave.
    ///   - now: when that became known.
    /// - Returns: whether the device became suspect by this; one that is already suspect keeps its first time.
    @discardableResult
    public mutating func suspect(reason: RejectionReason, now: Date) -> Bool {
        guard case .active = self else { return false }
        self = .suspect(reason: reason, since: now)
        return true
    }
}
