// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The whole simulated state: keys, devices, tokens, received and stored notifications, and scheduled events.
///
/// A pure state machine; the caller passes the time in seconds since 1970.
struct SimulatorState: Sendable {
    /// How long a notification is stored at most: 30 days.
    ///
    /// Unit: seconds.
    static let maximumStorage: Double = 30 * 24 * 3600

    var keys = ProviderKeyRing()
    var faults = ActiveFaults()
    /// Which apps belong to which team, where that is known.
    var teams = TeamDirectory()
    /// The recent push rate of each token, if it is limited.
    var rates = DeviceRateLimiter()
    /// The next response of the legacy feedback service.
    var feedback = FeedbackList()
    /// The scheduled events.
    var timeline = EventQueue()
    /// The unpublished events.
    var events = EventLog()
    var statistics = SimulatorStatistics()
    /// Settings for behavior that Apple does not document.
    var switches: APNsSimulatorOptions
    var registrations: RegistrationTable
    var topics = TopicTable()
    var devices: DeviceTable
    var contents = ContentTable()
    var log: NotificationLog
    /// The stored notifications of devices without state of their own.
    var waiting = StoredNotificationTable()
    var population: Population?
    var activities = ActivityRegistry()
    var channels = ChannelRegistry()
    /// The identities and courier connections of devices.
    var couriers = CourierRegistry()
    /// The latest time that was handed in, in seconds since 1970.
    private(set) var now: Double = 0

    /// A world without devices, but for those of the population; tokens and identifiers are computed from `seed`.
    init(
        retainedNotifications: Int,
        retainedInAll: Int = .max,
        retainedBytes: Int = .max,
        population: PopulationConfiguration? = nil,
        switches: APNsSimulatorOptions = APNsSimulatorOptions(),
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

    private mutating func happen(_ event: ScheduledEvent, now: Double) {
        switch event {
        case .device(let event): self.happen(event, now: now)
        case .tokenEnds(let index): self.endToken(index, now: now)
        case .activity(let event): self.happen(event, now: now)
        case .channel(let event): self.happen(event, now: now)
        }
    }

    // MARK: Events

    /// Records an event.
    ///
    /// It is published if events have readers, and added to the history of a device with state of its own.
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

    /// Executes the effects of a change of a device.
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
            self.timeline.schedule(.device(DeviceTimerEvent(device: device, kind: timer.kind)), at: timer.due)
        }
    }
}

extension SimulatorState {
    /// The world that a simulator begins with.
    init(_ configuration: APNsSimulatorConfiguration) {
        self.init(
            retainedNotifications: configuration.retainedNotifications,
            retainedInAll: configuration.retainedNotificationsInAll,
            retainedBytes: configuration.retainedBytesInAll,
            population: configuration.population,
            switches: configuration.switches,
            seed: configuration.seed ?? .random(in: .min ... .max)
        )
    }
}

extension SimulatorState {
    /// The handling of a request.
    struct Handling: Sendable {
        /// The result of the rules; `nil` if a fault bypassed them.
        var verdict: Verdict?
        /// The fault to play.
        var fault: SimulatorFault.Action?
        /// The release signal for the response, if the fault holds it.
        var hold: ResponseHold?
    }

    /// Takes a request through faults, rules and delivery.
    mutating func handle(
        _ request: RequestHead,
        _ facts: ParsedRequestHeaders,
        trust: inout ConnectionAuthentication,
        rules: ProviderRules,
        apnsID: APNsID,
        now: Double
    ) -> Handling {
        self.advance(to: now)
        self.statistics.requests += 1
        var strike: FaultEffect?
        if !self.faults.isEmpty, let struck = self.faults.strike(request, trust: trust, now: now) {
            self.statistics.faulted += 1
            guard struck.processesRequest else { return Handling(fault: struck.action) }
            strike = struck
        }
        let verdict = rules.judge(request, facts, trust: &trust, world: &self, now: now)
        switch verdict {
        case .accepted(let index): self.accept(request, facts, for: index, apnsID: apnsID, now: now)
        case .rejected(let rejection):
            self.statistics.rejected[rejection.reason, default: 0] += 1
        case .answered: break
        }
        return Handling(verdict: verdict, fault: strike?.action, hold: strike?.hold)
    }
}

/// The view of the world for testers.
extension SimulatorState {
    /// A snapshot of a device, with or without the received notifications and their effects.
    func snapshot(_ index: DeviceIndex, withNotifications: Bool = true) -> VirtualDevice {
        let row = self.devices[index]
        let state = self.devices.state(index) ?? self.makeState(index, replays: withNotifications).state
        let waiting =
            row.waiting >= 0 && self.record(self.waiting[row.waiting]).map { $0.expiresAt > self.now } ?? false
        var device = VirtualDevice(
            id: self.devices.id(of: index),
            environment: row.isProduction ? .production : .sandbox,
            traits: state.traits,
            apps: state.apps.filter { !$0.isRemoved }.map { self.describe($0) }
        )
        device.droppedNotifications = Int(row.dropped) + (withNotifications ? 0 : Int(row.kept))
        device.waitingNotifications = state.apps.count { $0.waiting != nil } + (waiting ? 1 : 0)
        guard withNotifications else { return device }
        device.notifications = self.log.entries(of: row).compactMap { entry in
            self.record(entry).map { self.describe($0, receivedAt: entry.receivedAt) }
        }
        device.shown = state.shown
        device.droppedShown = state.droppedShown
        device.calls = state.calls
        device.history = state.history
        return device
    }

    private func describe(_ app: InstalledApp) -> VirtualDevice.App {
        var tokens: [String: DeviceToken] = [:]
        for registration in app.registrations where self.registrations.kind(of: registration) == nil {
            guard let token = try? DeviceToken(bytes: self.token(of: registration).bytes) else { continue }
            tokens[self.topics[self.topic(of: registration)].name] = token
        }
        return VirtualDevice.App(
            bundleID: app.bundleID,
            tokens: tokens,
            traits: app.traits,
            badge: app.badge,
            isWaiting: app.waiting != nil,
            isHolding: app.held != nil
        )
    }

    /// Creates the state of a device that has none, by replaying its received notifications.
    ///
    /// Without `replays`, it is the state of a device that received none. The effects contain the events to schedule
    /// and to count.
    func makeState(_ device: DeviceIndex, replays: Bool = true) -> (state: DeviceRecord, effects: DeviceEffects) {
        let row = self.devices[device]
        var state = DeviceRecord()
        let isOfPopulation = row.origin.populationNumber != nil
        var effects = DeviceEffects()
        if isOfPopulation { state.traits.inherit(isOnline: self.population?.configuration.isOnline ?? true) }
        for offset in 0..<Int32(row.registrations) {
            let registration = RegistrationIndex(rawValue: row.origin.rawValue + offset)
            let bundleID = self.topics[self.topic(of: registration)].bundleID
            if let place = state.appIndex(bundleID) {
                state.apps[place].registrations.append(registration)
            } else {
                state.apps.append(InstalledApp(bundleID: bundleID, registrations: [registration]))
            }
        }
        guard replays else { return (state, effects) }
        for entry in self.log.entries(of: row) {
            guard let record = self.record(entry) else { continue }
            effects.addConsequences(of: self.replay(record, receivedAt: entry.receivedAt, device, &state))
        }
        return (state, effects)
    }

    private func replay(
        _ record: NotificationRecord,
        receivedAt: Double,
        _ device: DeviceIndex,
        _ state: inout DeviceRecord
    ) -> DeviceEffects {
        var effects = DeviceEffects()
        let topic = self.topics[record.topic]
        guard let place = state.appIndex(topic.bundleID) else { return effects }
        effects.note(.delivered, topic.bundleID, record.apnsID)
        state.receive(
            record,
            for: place,
            kind: topic.kind,
            switches: self.switches.devices,
            now: receivedAt,
            &effects
        )
        let id = self.devices.id(of: device)
        for note in effects.notes {
            state.keep(
                SimulatorEvent(
                    at: Date(timeIntervalSince1970: receivedAt),
                    kind: note.kind,
                    device: id,
                    bundleID: note.bundleID,
                    apnsID: note.apnsID,
                    cause: note.cause,
                    details: note.details
                )
            )
        }
        return effects
    }
}
