// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The identities and courier connections of devices, where they are not the default ones.
///
/// A device without an entry is activated, has no certificate, and its connection is its `isOnline` setting.
struct CourierRegistry: Codable, Sendable {
    private var identities: [DeviceIndex: DeviceIdentity] = [:]

    subscript(device: DeviceIndex) -> DeviceIdentity? {
        get { self.identities[device] }
        set { self.identities[device] = newValue }
    }

    var isEmpty: Bool { self.identities.isEmpty }

    /// The devices with an entry.
    var devices: [DeviceIndex] { Array(self.identities.keys) }

    /// Whether the device may connect and get tokens: its activation was not revoked.
    func isActivated(_ device: DeviceIndex) -> Bool {
        self.isEmpty || self.identities[device]?.isRevoked != true
    }

    /// Whether a push for a topic can be sent to the device now, as far as its courier connection decides that.
    func admits(_ topic: String, to device: DeviceIndex) -> Bool {
        guard let session = self.identities[device]?.session else { return true }
        return session.push == nil && session.topics?.contains(topic) == true
    }

    /// Whether the device has set a filter that does not enable a topic.
    func disables(_ topic: String, of device: DeviceIndex) -> Bool {
        guard let topics = self.identities[device]?.session?.topics else { return false }
        return !topics.contains(topic)
    }

    /// Changes the connection of a device that has one.
    mutating func withSession<Value>(of device: DeviceIndex, _ body: (inout CourierSession) -> Value) -> Value? {
        guard var session = self.identities[device]?.session else { return nil }
        defer { self.identities[device]?.session = session }
        return body(&session)
    }

    /// Checks entries against the tables that they point into, after they were read from a document.
    func check(
        _ devices: DeviceTable,
        _ topics: TopicTable,
        isKnown: (RegistrationIndex) -> Bool
    ) throws(SnapshotError) {
        for (device, identity) in self.identities {
            let stored = identity.session?.push?.stored
            let isSound = stored.map { stored in
                stored.record.content.isSound && topics.isValid(stored.record.topic) && isKnown(stored.registration)
            }
            guard devices.isValid(device), devices.hasState(device), isSound != false else {
                throw SnapshotError(path: "world.couriers", rule: "known devices with a state, tokens and topics")
            }
        }
    }
}

/// The identity of a device toward APNs, and its connection to the courier port.
struct DeviceIdentity: Codable, Sendable {
    /// The fingerprint of the certificate from the latest activation; `nil` without one.
    var certificate: String?
    /// Whether the activation was revoked.
    var isRevoked = false
    /// The connection; `nil` while there is none.
    var session: CourierSession?
}

/// A connection of a device to the courier port.
struct CourierSession: Codable, Sendable {
    /// A push that was sent and not confirmed.
    struct Push: Codable, Sendable {
        var stored: StoredNotification
        /// Until when it has to be confirmed, in seconds since 1970.
        var confirmBy: Double
    }

    /// The number of the connection, which no other one of this process has.
    let id: UInt64
    /// The enabled topics; `nil` until the device has set its filter.
    var topics: Set<String>?
    /// The push in flight; a device is sent one at a time.
    var push: Push?
    /// When the latest message of the device came, in seconds since 1970.
    var heardAt: Double
    /// The time of the earliest scheduled check of this connection, in seconds since 1970.
    var checkPlannedAt: Double?

    init(id: UInt64, heardAt: Double) {
        self.id = id
        self.heardAt = heardAt
    }
}
