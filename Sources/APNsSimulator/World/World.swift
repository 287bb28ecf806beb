// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Everything behind the wire: keys, devices, tokens, what arrived and what waits.
///
/// A value; time is handed in.
struct World: Sendable {
    /// How long a notification is stored at most: 30 days.
    ///
    /// Unit: seconds.
    static let maximumStorage: Double = 30 * 24 * 3600

    var keys = ProviderKeyRing()
    var faults = FaultTable()
    private(set) var registrations = RegistrationTable()
    private(set) var topics = TopicTable()
    private(set) var devices = DeviceTable()
    var statistics = SimulatorStatistics()
    private let retainedNotifications: Int
    private var deliveries: UInt64 = 0

    init(retainedNotifications: Int) {
        self.retainedNotifications = retainedNotifications
    }

    // MARK: Pushes

    /// Delivers an accepted push, or stores it.
    ///
    /// - Returns: the delivery, where there was one and `describes` asks for it.
    mutating func accept(
        _ request: RequestHead,
        _ facts: RequestFacts,
        for index: RegistrationIndex,
        apnsID: APNsID,
        now: Double,
        describes: Bool
    ) -> Delivery? {
        self.statistics.accepted += 1
        let registration = self.registrations[index]
        let expiresAt = min(facts.expiration.value.map(Double.init) ?? .infinity, now + Self.maximumStorage)
        let record = NotificationRecord(
            request,
            topic: registration.topic,
            apnsID: apnsID,
            expiresAt: expiresAt,
            now: now
        )
        if self.devices[registration.device].isOnline {
            return self.deliver(record, to: registration.device, describes: describes)
        }
        guard expiresAt > now else {
            self.statistics.expired += 1
            return nil
        }
        self.statistics.stored += 1
        let bundleID = self.topics[registration.topic].bundleID
        if self.devices[registration.device].store(record, bundleID: bundleID) { self.statistics.replaced += 1 }
        return nil
    }

    private mutating func deliver(
        _ record: NotificationRecord,
        to device: DeviceIndex,
        describes: Bool
    ) -> Delivery? {
        self.statistics.delivered += 1
        self.deliveries += 1
        self.devices[device].receive(record, limit: self.retainedNotifications)
        guard describes else { return nil }
        return Delivery(
            sequence: self.deliveries,
            device: self.devices[device].id,
            notification: self.describe(record)
        )
    }

    private func describe(_ record: NotificationRecord) -> ReceivedNotification {
        ReceivedNotification(
            bundleID: self.topics[record.topic].bundleID,
            payload: record.payload,
            apnsID: record.apnsID,
            headers: record.headers,
            receivedAt: Date(timeIntervalSince1970: record.receivedAt)
        )
    }

    // MARK: Devices

    /// Boots a device with tokens for these topics.
    mutating func bootDevice(
        environment: APNsEnvironment,
        topics: [String],
        using generator: inout some RandomNumberGenerator
    ) -> DeviceIndex {
        let id = VirtualDeviceID(rawValue: APNsID.random(using: &generator).description)
        let index = self.devices.add(DeviceRecord(id: id, environment: environment))
        for topic in topics { self.install(topic, on: index, using: &generator) }
        self.statistics.devices += 1
        return index
    }

    /// Makes room for tokens that are about to be added.
    mutating func reserve(tokens: Int) { self.registrations.reserve(tokens) }

    /// Gives the device a token for a topic, unless it has one.
    mutating func install(_ topic: String, on device: DeviceIndex, using generator: inout some RandomNumberGenerator) {
        let topicIndex = self.topics.index(of: topic)
        guard !self.devices[device].installations.contains(where: { $0.topic == topicIndex }) else { return }
        let token = TokenKey.standard(
            StandardToken(words: (generator.next(), generator.next(), generator.next(), generator.next()))
        )
        let registration = Registration(
            device: device,
            topic: topicIndex,
            environment: self.devices[device].environment
        )
        let index = self.registrations.add(registration, key: token)
        self.devices[device].installations.append(
            DeviceRecord.Installation(topic: topicIndex, registration: index, token: token)
        )
    }

    /// Removes an app with all its tokens; they are answered 410 from now on.
    ///
    /// - Returns: whether the app was installed.
    mutating func uninstall(_ bundleID: String, from device: DeviceIndex, now: Double) -> Bool {
        let installations = self.devices[device].installations
        let gone = installations.filter {
            self.topics[$0.topic].bundleID == bundleID || self.topics[$0.topic].name == bundleID
        }
        guard !gone.isEmpty else { return false }
        let milliseconds = Int64((now * 1000).rounded())
        for installation in gone {
            self.registrations.deactivate(installation.registration, milliseconds: milliseconds)
        }
        let ended = Set(gone.map(\.registration))
        self.devices[device].installations.removeAll { ended.contains($0.registration) }
        self.statistics.replaced += self.devices[device].takeWaiting(bundleID: bundleID).count
        return true
    }

    /// Connects a device to APNs or cuts it off.
    ///
    /// What waited is delivered now, unless it has expired.
    ///
    /// - Returns: the deliveries.
    mutating func setOnline(_ isOnline: Bool, device: DeviceIndex, now: Double) -> [Delivery] {
        self.devices[device].isOnline = isOnline
        guard isOnline else { return [] }
        var deliveries: [Delivery] = []
        for var record in self.devices[device].takeWaiting() {
            guard record.expiresAt > now else {
                self.statistics.expired += 1
                continue
            }
            record.receivedAt = now
            if let delivery = self.deliver(record, to: device, describes: true) { deliveries.append(delivery) }
        }
        return deliveries
    }

    /// What a device holds now, with or without what arrived.
    func snapshot(_ index: DeviceIndex, withNotifications: Bool = true) -> VirtualDevice {
        let record = self.devices[index]
        var apps: [VirtualDevice.App] = []
        for installation in record.installations {
            let topic = self.topics[installation.topic]
            guard let token = try? DeviceToken(bytes: installation.token.bytes) else { continue }
            if let place = apps.firstIndex(where: { $0.bundleID == topic.bundleID }) {
                apps[place].tokens[topic.name] = token
            } else {
                apps.append(VirtualDevice.App(bundleID: topic.bundleID, tokens: [topic.name: token]))
            }
        }
        return VirtualDevice(
            id: record.id,
            environment: record.environment,
            isOnline: record.isOnline,
            apps: apps,
            notifications: withNotifications ? record.inbox.map { self.describe($0) } : [],
            droppedNotifications: record.dropped + (withNotifications ? 0 : record.inbox.count),
            waitingNotifications: record.waiting.count
        )
    }
}
