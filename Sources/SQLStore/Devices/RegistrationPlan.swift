// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// The effect of the registrations of a round, one after the other, on the devices that they concern.
///
/// See `DeviceStore.register`.
struct RegistrationPlan {
    /// A device that is stored, or that a registration of the round stores.
    struct Device {
        /// `nil` for a new device.
        var number: Int64?

        fileprivate var token: EnvironmentToken
        fileprivate var time: Date

        /// The stored topics, as JSON.
        var topics: String?
    }

    /// Not a `Target`, because a corrupt device that has the token is removed too.
    fileprivate struct EnvironmentToken: Hashable {
        let environment: Int64
        let token: [UInt8]
    }

    /// The registrations that are not older than the stored devices.
    private(set) var current: [DeviceRegistration] = []

    /// The numbers of the devices that lose their token to another device, so that they are removed.
    private(set) var displaced: [Int64] = []

    /// The devices by the text of their IDs.
    private(set) var devices: [String: Device] = [:]

    /// The IDs of the devices by their tokens.
    private var holders: [EnvironmentToken: String] = [:]

    /// Takes a round of ``RegistrationRounds`` and the stored devices that have one of its IDs or tokens.
    ///
    /// `now` is the time of registrations without a time of their own.
    init(_ round: ArraySlice<DeviceRegistration>, stored: [SQLRow], now: Date) throws {
        for row in stored {
            let token = EnvironmentToken(environment: try row.int64("environment"), token: try row.blob("token"))
            let id = try row.string("installation")
            self.devices[id] = Device(
                number: try row.int64("number"),
                token: token,
                time: try row.clampedDate("registered_at") ?? now,
                topics: try row.text("topics")
            )
            self.holders[token] = id
        }
        for registration in round { self.add(registration, now: now) }
    }

    private mutating func add(_ registration: DeviceRegistration, now: Date) {
        let id = registration.installation.rawValue
        let token = EnvironmentToken(
            environment: Int64(registration.environment.stored),
            token: registration.token.bytes
        )
        let holder = self.holders[token]
        if let time = registration.precedence {
            let latest = [id, holder].compactMap { id in id.flatMap { self.devices[$0]?.time } }.max()
            // Stores keep milliseconds. A registration of the same millisecond replaces the stored one.
            if let latest, latest.millisecondsSince1970 > time.millisecondsSince1970 { return }
        }
        if let holder, holder != id, let number = self.devices.removeValue(forKey: holder)?.number {
            self.displaced.append(number)
        }
        let time = registration.registeredAt ?? now
        if let former = self.devices[id] { self.holders[former.token] = nil }
        self.devices[id, default: Device(token: token, time: time)].token = token
        self.devices[id]?.time = time
        self.holders[token] = id
        self.current.append(registration)
    }
}
