// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Everything behind the wire: keys, devices, tokens, what arrived, what waits and what is going to happen.
///
/// A value; time is handed in.
struct World: Sendable {
    /// How long a notification is stored at most: 30 days.
    ///
    /// Unit: seconds.
    static let maximumStorage: Double = 30 * 24 * 3600

    var keys = ProviderKeyRing()
    var faults = FaultTable()
    /// Which apps belong to which team, where that is known.
    var teams = TeamDirectory()
    /// How fast pushes came to each token lately, where that is limited.
    var rates = DeviceRates()
    /// What the legacy feedback service is going to say.
    var feedback = FeedbackList()
    /// What is going to happen by itself.
    var timeline = Timeline()
    /// What has happened and was not told yet.
    var events = EventLog()
    var statistics = SimulatorStatistics()
    /// What happens at edges that Apple does not document.
    var switches: APNsSimulatorSwitches
    var registrations: RegistrationTable
    var topics = TopicTable()
    var devices: DeviceTable
    var contents = ContentTable()
    var log: NotificationLog
    /// What waits for devices that are like others.
    var waiting = WaitingTable()
    var population: Population?
    /// Live Activities.
    var activities = ActivityBook()
    /// Broadcast channels.
    var channels = ChannelBook()
    /// The latest time that was handed in, in seconds since 1970.
    private(set) var now: Double = 0

    /// A world without devices, but for those of the population.
    ///
    /// - Parameters:
    ///   - retainedNotifications: how many notifications are kept of a device.
    ///   - retainedInAll: how many are kept of all devices.
    ///   - retainedBytes: how many bytes contents may take.
    ///   - population: devices that exist by computation.
    ///   - switches: what happens at undocumented edges.
    ///   - seed: what device tokens and identifiers are computed from.
    init(
        retainedNotifications: Int,
        retainedInAll: Int = .max,
        retainedBytes: Int = .max,
        population: PopulationConfiguration? = nil,
        switches: APNsSimulatorSwitches = APNsSimulatorSwitches(),
        seed: UInt64 = .random(in: .min ... .max)
    ) {
        var generator = SplitMix64(seed: seed)
        self.registrations = RegistrationTable(seed: generator.next())
        self.devices = DeviceTable(seed: generator.next())
        self.log = NotificationLog(
            deviceLimit: retainedNotifications,
            limit: retainedInAll,
            contentLimit: retainedBytes
        )
        self.switches = switches
        if let population {
            self.population = Population(population, topic: self.topics.index(of: population.app))
        }
    }

    // MARK: Time

    /// Lets everything happen that is due, each at its own time.
    mutating func advance(to now: Double) {
        guard now > self.now else { return }
        if self.timeline.nextDue <= now {
            while let entry = self.timeline.next(until: now) {
                self.now = max(self.now, entry.due)
                self.happen(entry.event, now: self.now)
            }
        }
        self.now = now
    }

    private mutating func happen(_ event: TimedEvent, now: Double) {
        switch event {
        case .device(let event): self.happen(event, now: now)
        case .tokenEnds(let index): self.endToken(index, now: now)
        case .activity(let event): self.happen(event, now: now)
        case .channel(let event): self.happen(event, now: now)
        }
    }

    // MARK: Events

    /// Takes note of something that happened.
    ///
    /// Whoever reads events is told, and a device that is unlike others keeps it.
    mutating func note(
        _ kind: SimulatorEvent.Kind,
        device: DeviceIndex? = nil,
        bundleID: String? = nil,
        apnsID: APNsID? = nil,
        at now: Double,
        cause: String? = nil,
        details: [String: String] = [:]
    ) {
        let keeps = device.map { self.devices.hasState($0) } ?? false
        guard keeps || self.events.wantsEvents else { return }
        let event = SimulatorEvent(
            at: Date(timeIntervalSince1970: now),
            kind: kind,
            device: device.map { self.devices.id(of: $0) },
            bundleID: bundleID,
            apnsID: apnsID,
            cause: cause,
            details: details
        )
        if keeps, let device { _ = self.devices.withState(device) { $0.keep(event) } }
        self.events.add(event)
    }

    /// Does what came of something that happened to a device.
    mutating func apply(_ effects: DeviceEffects, to device: DeviceIndex, now: Double) {
        for note in effects.notes {
            self.note(
                note.kind,
                device: device,
                bundleID: note.bundleID,
                apnsID: note.apnsID,
                at: now,
                cause: note.cause,
                details: note.details
            )
        }
        for cause in effects.discarded { self.statistics.discarded[cause, default: 0] += 1 }
        for timer in effects.timers {
            self.timeline.schedule(.device(DeviceEvent(device: device, kind: timer.kind)), at: timer.due)
        }
    }
}
