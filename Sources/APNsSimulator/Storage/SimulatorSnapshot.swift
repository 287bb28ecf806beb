// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A whole world as a document, with the time at which it was written.
struct SimulatorSnapshot: Codable {
    /// The form of the document; another one is refused.
    static let currentVersion = 2

    var version = Self.currentVersion
    /// The simulated time, in seconds since 1970.
    var now: Double
    var world: SimulatorState
}

/// Faults and the numbers of feeds are no part of a document: they belong to the run, not to the world. Switches are
/// the simulator's own.
extension SimulatorState: Codable {
    private enum CodingKeys: String, CodingKey {
        case keys, teams, feedback, timeline, statistics, registrations, topics, devices, contents, log, waiting
        case population, activities, channels, couriers
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(retainedNotifications: 1)
        self.keys = try container.decode(ProviderKeyRing.self, forKey: .keys)
        self.teams = try container.decode(TeamDirectory.self, forKey: .teams)
        self.feedback = try container.decode(FeedbackList.self, forKey: .feedback)
        self.timeline = try container.decode(EventQueue.self, forKey: .timeline)
        self.statistics = try container.decode(SimulatorStatistics.self, forKey: .statistics)
        self.registrations = try container.decode(RegistrationTable.self, forKey: .registrations)
        self.topics = try container.decode(TopicTable.self, forKey: .topics)
        self.devices = try container.decode(DeviceTable.self, forKey: .devices)
        self.contents = try container.decode(ContentTable.self, forKey: .contents)
        self.log = try container.decode(NotificationLog.self, forKey: .log)
        self.waiting = try container.decode(StoredNotificationTable.self, forKey: .waiting)
        self.population = try container.decodeIfPresent(Population.self, forKey: .population)
        self.activities = try container.decode(ActivityRegistry.self, forKey: .activities)
        self.channels = try container.decode(ChannelRegistry.self, forKey: .channels)
        self.couriers = try container.decodeIfPresent(CourierRegistry.self, forKey: .couriers) ?? CourierRegistry()
        try self.join()
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.keys, forKey: .keys)
        try container.encode(self.teams, forKey: .teams)
        try container.encode(self.feedback, forKey: .feedback)
        try container.encode(self.timeline, forKey: .timeline)
        try container.encode(self.statistics, forKey: .statistics)
        try container.encode(self.registrations, forKey: .registrations)
        try container.encode(self.topics, forKey: .topics)
        try container.encode(self.devices, forKey: .devices)
        try container.encode(self.contents, forKey: .contents)
        try container.encode(self.log, forKey: .log)
        try container.encode(self.waiting, forKey: .waiting)
        try container.encodeIfPresent(self.population, forKey: .population)
        try container.encode(self.activities, forKey: .activities)
        try container.encode(self.channels, forKey: .channels)
        try container.encode(self.couriers, forKey: .couriers)
    }

    /// Checks the tables against each other, and rebuilds the references that documents do not contain.
    private mutating func join() throws(SnapshotError) {
        let count = self.population?.configuration.count ?? 0
        if let population = self.population, !self.topics.isValid(population.topic) {
            throw SnapshotError(path: "world.population.topic", rule: "a known topic")
        }
        try self.registrations.check(self.devices, self.topics)
        try self.devices.check(self.registrations, self.topics, population: count, waiting: self.waiting)
        try self.contents.check(self.topics)
        try self.waiting.check(self.devices)
        try self.couriers.check(self.devices, self.topics) { self.isKnown($0) }
        try self.contents.recount([self.log.kept, self.waiting.kept].joined())
        try self.log.rechain(&self.devices)
        try self.checkCounters()
        for row in 0..<self.devices.count {
            let device = DeviceIndex(rawValue: Int32(row))
            if let number = self.devices[device].origin.populationNumber { self.population?.setRow(device, of: number) }
        }
        for device in self.timeline.devices where !self.devices.isValid(device) {
            throw SnapshotError(path: "world.timeline", rule: "known devices")
        }
        for index in self.timeline.tokenEnds where !self.isKnown(index) {
            throw SnapshotError(path: "world.timeline", rule: "known tokens")
        }
    }

    private func checkCounters() throws(SnapshotError) {
        let counters = [
            ("statistics", self.statistics.isSound), ("channels", self.channels.isSound),
            ("activities", self.activities.isSound),
        ]
        for (name, isSound) in counters where !isSound {
            throw SnapshotError(path: "world.\(name)", rule: "counters of 0...\(SnapshotError.maximumCount)")
        }
    }

    private func isKnown(_ index: RegistrationIndex) -> Bool {
        index.populationNumber.map { $0 < self.population?.configuration.count ?? 0 }
            ?? self.registrations.isValid(index)
    }
}

/// The error of a snapshot document that cannot be restored.
struct SnapshotError: Error, Equatable {
    /// The highest number that a counter of a document may have, so that it can be counted on.
    static let maximumCount = 1 << 53

    /// Where in the document.
    var path: String
    /// The expected value.
    var rule: String
}

/// The whole world as a document, from Swift.
extension APNsSimulator {
    /// The world as JSON: keys, devices and their state, activities, channels, stored notifications and scheduled
    /// events.
    ///
    /// Statistics are included; faults, connections and readers of feeds are not.
    ///
    /// - Throws: an encoder's error.
    public func snapshot() throws -> [UInt8] {
        let snapshot = self.core.change { world, now in SimulatorSnapshot(now: now, world: world) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return [UInt8](try encoder.encode(snapshot))
    }

    /// Replaces the world with that of a document.
    ///
    /// The simulated time advances to that of the document; if it is later already, it stays, and overdue events are
    /// executed immediately. The switches and the faults stay, and the demo key is always trusted. The
    /// numbers of the feeds continue; their history is dropped.
    ///
    /// - Parameter json: the result of ``snapshot()``.
    /// - Throws: ``APNsSimulatorError`` `invalidSnapshot`; then nothing has changed.
    public func restore(_ json: [UInt8]) throws(APNsSimulatorError) {
        let snapshot: SimulatorSnapshot
        do {
            snapshot = try JSONDecoder().decode(SimulatorSnapshot.self, from: Data(json))
        } catch {
            throw APNsSimulatorError(code: .invalidSnapshot, message: "this is not a snapshot of a world", cause: error)
        }
        guard snapshot.version == SimulatorSnapshot.currentVersion else {
            let message = "the snapshot has version \(snapshot.version), not \(SimulatorSnapshot.currentVersion)"
            throw APNsSimulatorError(code: .invalidSnapshot, message: message)
        }
        guard SimulatorTimeRange.range.contains(snapshot.now) else {
            let message = "the snapshot is of \(snapshot.now), which is not a time from 1970 to 9999"
            throw APNsSimulatorError(code: .invalidSnapshot, message: message)
        }
        let key = try? ProviderKey(self.demoKey)
        self.core.clock.advance(to: snapshot.now)
        self.core.replaceWorld { world, _ in
            var restored = snapshot.world
            if let key { restored.keys.add(key) }
            restored.faults = world.faults
            restored.switches = world.switches
            // The connections of the document's time are not those of now.
            restored.endCourierSessions(now: snapshot.now)
            return restored
        }
        self.core.couriers.endAll(.reset)
        self.core.advanceWorld()
        self.noteClockChange()
    }
}
