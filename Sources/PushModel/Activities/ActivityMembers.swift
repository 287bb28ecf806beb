// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The devices and users that a backend names as members of an activity, so that they may join it with a client key.
public struct ActivityMembers: Hashable, Sendable {
    public var devices: Set<DeviceID>
    public var users: Set<UserID>

    public init(devices: Set<DeviceID> = [], users: Set<UserID> = []) {
        self.devices = devices
        self.users = users
    }

    public var isEmpty: Bool { self.devices.isEmpty && self.users.isEmpty }
    public var count: Int { self.devices.count + self.users.count }
}
