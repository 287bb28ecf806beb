// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

/// The effect of registrations, one after the other, on the stored devices that have their IDs or tokens.
struct RegistrationPlan {
    /// Not a `Target`, because a corrupt device that has the token is removed too.
    private struct EnvironmentToken: Hashable {
        let environment: Int64
        let token: [UInt8]
    }

    private struct Device {
        /// `nil` for a new device.
        var number: Int64?
        var topics: String?
        var token: EnvironmentToken
        var time: Date
    }

    /// The devices to insert or update, one for each registration that is not older than the stored devices.
    private(set) var current: [RegisteredDevice] = []

    /// The numbers of the devices that lose their token to another device, so that they are removed.
    private(set) var displaced: [Int64] = []

    /// The devices by the text of their IDs.
    private var devices: [String: Device] = [:]

    /// The IDs of the devices by their tokens.
    private var holders: [EnvironmentToken: String] = [:]

    /// `now` is the time of registrations without a time of their own.
    init(_ round: ArraySlice<DeviceRegistration>, stored: [SQLRow], now: Date) throws {
        for row in stored {
            let token = EnvironmentToken(environment: try row.int64("environment"), token: try row.blob("token"))
            let id = try row.string("installation")
            let (number, topics) = (try row.int64("number"), try row.text("topics"))
            let time = try row.clampedDate("registered_at") ?? now
            self.devices[id] = Device(number: number, topics: topics, token: token, time: time)
            self.holders[token] = id
        }
        for registration in round { self.add(registration, now: now) }
    }

    private mutating func add(_ registration: DeviceRegistration, now: Date) {
        let id = registration.installation.rawValue
        let environment = Int64(registration.environment.stored)
        let token = EnvironmentToken(environment: environment, token: registration.token.bytes)
        let holder = self.holders[token]
        if let time = registration.precedence {
            let latest = [id, holder].compactMap { id in id.flatMap { self.devices[$0]?.time } }.max()
            // Stores keep milliseconds. A registration of the same millisecond replaces the stored one.
            if let latest, latest.millisecondsSince1970 > time.millisecondsSince1970 { return }
        }
        if let holder, holder != id, let number = self.devices.removeValue(forKey: holder)?.number {
            self.displaced.append(number)
        }
        let known = self.devices[id]
        if let known { self.holders[known.token] = nil }
        let device = RegisteredDevice(
            registration: registration,
            time: registration.registeredAt ?? now,
            number: known?.number,
            topics: known?.topics
        )
        self.devices[id] = Device(number: device.number, topics: nil, token: token, time: device.time)
        self.holders[token] = id
        self.current.append(device)
    }

    /// Gives the new devices consecutive numbers.
    mutating func number(_ first: (_ count: Int) throws -> Int64) throws {
        let new = self.current.indices.filter { self.current[$0].number == nil }
        guard !new.isEmpty else { return }
        let first = try first(new.count)
        for (offset, index) in new.enumerated() { self.current[index].number = first + Int64(offset) }
    }
}

/// A device as a registration stores it.
struct RegisteredDevice {
    let registration: DeviceRegistration
    let time: Date

    /// The number of the device if it is known; on SQLite, new devices get theirs from `RegistrationPlan.number(_:)`.
    fileprivate(set) var number: Int64?

    /// The topics that SQLite has of a known device, as JSON.
    let topics: String?

    /// Whether SQLite knows the device.
    var isKnown: Bool { self.topics != nil }

    var profile: DeviceProfile { self.registration.profile }
}

extension [DeviceRegistration] {
    /// The registrations in rounds of one app each, in which no installation and no token comes twice.
    ///
    /// A round can be written at once with the same effect as one registration after the other.
    var rounds: [ArraySlice<DeviceRegistration>] {
        var rounds: [ArraySlice<DeviceRegistration>] = []
        var start = 0
        var installations: Set<InstallationID> = []
        var targets: Set<Target> = []
        for (place, registration) in self.enumerated() {
            let target = Target(token: registration.token, environment: registration.environment)
            let isOfAnotherApp = registration.app != self[start].app
            if isOfAnotherApp || installations.contains(registration.installation) || targets.contains(target) {
                rounds.append(self[start..<place])
                start = place
                installations = []
                targets = []
            }
            installations.insert(registration.installation)
            targets.insert(target)
        }
        if start < self.count { rounds.append(self[start...]) }
        return rounds
    }
}
