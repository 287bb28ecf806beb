// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
public import Foundation
#endif

/// APNs's side of a device that is unlike others: one slot for each app, one notification in flight.
extension SimulatorState {
    /// Takes a notification for a device: delivers it, stores it or discards it.
    mutating func submit(
        _ record: NotificationRecord,
        to device: DeviceIndex,
        registration: RegistrationIndex,
        now: Double
    ) {
        self.giveState(device)
        guard let state = self.devices.state(device) else { return }
        let isUrgent = record.priority == 10
        if state.traits.isOnline, state.inFlightUntil == nil, isUrgent || !state.traits.isPowerRestricted,
            self.couriers.isEmpty || self.couriers.admits(self.topics[record.topic].name, to: device)
        {
            self.replaceStored(for: device, registration: registration, bundleID: self.bundleID(of: record), now: now)
            self.deliver(record, to: device, registration: registration, now: now)
            if state.traits.isPowerRestricted { self.flush(device, isAwake: true, now: now) }
            return
        }
        if !self.couriers.isEmpty, self.switches.courier.disabledTopic == .discard,
            self.couriers.disables(self.topics[record.topic].name, of: device)
        {
            return self.discard(record, .topicDisabled, device, self.bundleID(of: record), now: now)
        }
        self.store(record, for: device, registration: registration, now: now)
        if state.traits.isOnline { self.planPowerWindow(device, now: now) }
    }

    private func bundleID(of record: NotificationRecord) -> String { self.topics[record.topic].bundleID }

    // MARK: The store

    /// Replaces the stored notification of an app by a later one that is delivered immediately.
    private mutating func replaceStored(
        for device: DeviceIndex,
        registration: RegistrationIndex,
        bundleID: String,
        now: Double
    ) {
        let older = self.devices.withState(device) { $0.takeStored(of: registration, bundleID) } ?? nil
        guard let older else { return }
        guard older.record.expiresAt > now else { return self.expire(older.record, device, now: now) }
        self.statistics.replaced += 1
        self.discard(older.record, .replaced, device, bundleID, now: now)
    }

    private mutating func store(
        _ record: NotificationRecord,
        for device: DeviceIndex,
        registration: RegistrationIndex,
        now: Double
    ) {
        let bundleID = self.bundleID(of: record)
        guard record.isStorable, record.expiresAt > now else {
            self.statistics.expired += 1
            return self.discard(record, .notStored, device, bundleID, now: now)
        }
        let stored = StoredNotification(record: record, registration: registration)
        let older = self.devices.withState(device) { $0.store(stored, bundleID: bundleID) } ?? nil
        self.statistics.stored += 1
        self.note(.stored, device: device, bundleID: bundleID, apnsID: record.apnsID, at: now)
        self.planExpiry(at: record.expiresAt, of: device)
        guard let older else { return }
        self.statistics.replaced += 1
        self.discard(older.record, .replaced, device, bundleID, now: now)
    }

    /// Stores a push again that was sent to a device and not confirmed, unless a newer one has taken its place.
    mutating func takeBack(_ push: StoredNotification, of device: DeviceIndex, now: Double) {
        let (record, bundleID) = (push.record, self.bundleID(of: push.record))
        guard self.switches.courier.unconfirmedPush == .store else {
            self.statistics.expired += 1
            return self.discard(record, .notStored, device, bundleID, now: now)
        }
        guard let app = self.devices.state(device)?.storingApp(of: push.registration, bundleID) else {
            return self.discard(record, .appRemoved, device, bundleID, now: now)
        }
        guard app.waiting == nil else {
            self.statistics.replaced += 1
            return self.discard(record, .replaced, device, bundleID, now: now)
        }
        self.store(record, for: device, registration: push.registration, now: now)
    }

    /// Schedules a check of a device's stored notifications for the earliest expiration.
    ///
    /// One timeline entry covers all later expirations, so a device that is offline and receives many pushes has few
    /// entries.
    mutating func planExpiry(at due: Double, of device: DeviceIndex) {
        let isPlanned = self.devices.withState(device) { state in
            guard due < state.expiryPlannedAt ?? .infinity else { return false }
            state.expiryPlannedAt = due
            return true
        }
        guard isPlanned == true else { return }
        self.timeline.schedule(.device(DeviceTimerEvent(device: device, kind: .storedExpires)), at: due)
    }

    private mutating func expireStored(of device: DeviceIndex, now: Double) {
        // Another entry may have done this one's work.
        guard let planned = self.devices.state(device)?.expiryPlannedAt, planned <= now else { return }
        _ = self.devices.withState(device) { $0.expiryPlannedAt = nil }
        while let stored = self.devices.withState(device, { $0.takeStored { $0.expiresAt <= now } }) ?? nil {
            self.expire(stored.record, device, now: now)
        }
        let next = self.devices.state(device)?.apps.compactMap(\.waiting?.record.expiresAt).min()
        if let next { self.planExpiry(at: next, of: device) }
    }

    private mutating func discard(
        _ record: NotificationRecord,
        _ cause: DiscardReason,
        _ device: DeviceIndex,
        _ bundleID: String,
        now: Double
    ) {
        self.statistics.discarded[cause, default: 0] += 1
        self.note(
            .discarded,
            device: device,
            bundleID: bundleID,
            apnsID: record.apnsID,
            at: now,
            cause: cause.rawValue
        )
    }

    /// Delivers the stored notifications of a device, oldest first, as far as its state allows.
    ///
    /// A device that is awake (`isAwake`) also receives those that are not urgent.
    mutating func flush(_ device: DeviceIndex, isAwake: Bool, now: Double) {
        var isAwake = isAwake
        while let state = self.devices.state(device), state.traits.isOnline, state.inFlightUntil == nil {
            let mayGo = isAwake || !state.traits.isPowerRestricted
            let (couriers, topics) = (self.couriers, self.topics)
            let stored = self.devices.withState(device) { state in
                state.takeStored { record in
                    (mayGo || record.priority == 10) && couriers.admits(topics[record.topic].name, to: device)
                }
            }
            guard let stored = stored ?? nil else { break }
            guard stored.record.expiresAt > now else {
                self.expire(stored.record, device, now: now)
                continue
            }
            isAwake = isAwake || stored.record.priority == 10
            self.deliver(stored.record, to: device, registration: stored.registration, now: now)
        }
        self.planPowerWindow(device, now: now)
    }

    /// Schedules the delivery of a group of notifications that are not urgent.
    ///
    /// Notifications of priority 1 alone never wake a device.
    private mutating func planPowerWindow(_ device: DeviceIndex, now: Double) {
        guard let state = self.devices.state(device), state.traits.isOnline, state.traits.isPowerRestricted,
            !state.hasPowerWindow, state.apps.contains(where: { $0.waiting?.record.priority ?? 1 > 1 })
        else { return }
        _ = self.devices.withState(device) { $0.hasPowerWindow = true }
        let due = now + self.switches.storage.powerWindow
        self.timeline.schedule(.device(DeviceTimerEvent(device: device, kind: .powerWindow)), at: due)
    }

    private mutating func expire(_ record: NotificationRecord, _ device: DeviceIndex, now: Double) {
        let bundleID = self.bundleID(of: record)
        self.statistics.expired += 1
        self.statistics.discarded[.expired, default: 0] += 1
        self.note(
            .expired,
            device: device,
            bundleID: bundleID,
            apnsID: record.apnsID,
            at: now,
            cause: DiscardReason.expired.rawValue
        )
    }

    // MARK: The way to the device

    private mutating func deliver(
        _ record: NotificationRecord,
        to device: DeviceIndex,
        registration: RegistrationIndex,
        now: Double
    ) {
        let bundleID = self.bundleID(of: record)
        guard let state = self.devices.state(device) else { return }
        let app = (state.appIndex(registration) ?? state.appIndex(bundleID)).map { state.apps[$0] }
        guard let app, !app.isRemoved else {
            self.discard(record, .appRemoved, device, bundleID, now: now)
            return self.planTokenEnd(registration, of: device, now: now)
        }
        if !self.couriers.isEmpty,
            self.sendByCourier(record, to: device, registration: registration, now: now)
        {
            return
        }
        if state.traits.acknowledgementDelay > 0 {
            let until = now + state.traits.acknowledgementDelay
            _ = self.devices.withState(device) { $0.inFlightUntil = until }
            self.timeline.schedule(.device(DeviceTimerEvent(device: device, kind: .acknowledgement)), at: until)
        }
        self.arrive(record, at: device, registration: registration, now: now)
    }

    /// Records the arrival of a notification at a device, and delivers it to the receiver of its token.
    mutating func arrive(
        _ record: NotificationRecord,
        at device: DeviceIndex,
        registration: RegistrationIndex,
        now: Double
    ) {
        let bundleID = self.bundleID(of: record)
        self.statistics.delivered += 1
        let sequence = self.events.countDelivery()
        let content = self.contents.retain(record.content)
        self.log.append(
            NotificationLogEntry(record, content: content, device: device, receivedAt: now),
            devices: &self.devices,
            contents: &self.contents
        )
        if self.events.wantsDeliveries {
            let notification = self.describe(record, receivedAt: now)
            self.events.add(
                Delivery(sequence: sequence, device: self.devices.id(of: device), notification: notification)
            )
        }
        self.note(.delivered, device: device, bundleID: bundleID, apnsID: record.apnsID, at: now)
        self.hand(record, to: device, registration: registration, now: now)
    }

    /// Delivers a notification to the receiver of its token: an app, an extension or a Live Activity.
    private mutating func hand(
        _ record: NotificationRecord,
        to device: DeviceIndex,
        registration: RegistrationIndex,
        now: Double
    ) {
        switch self.kind(of: registration) {
        case .app, .pushType:
            let kind = self.kind(of: registration)
            let switches = self.switches.devices
            let effects = self.devices.withState(device) { state in
                var effects = DeviceEffects()
                if let place = state.appIndex(registration) {
                    state.receive(record, for: place, kind: kind, switches: switches, now: now, &effects)
                }
                return effects
            }
            if let effects { self.apply(effects, to: device, now: now) }
        case .activity, .pushToStart:
            self.arriveActivityPush(record, kind: self.kind(of: registration), at: device, now: now)
        }
    }

    /// Schedules the time at which APNs records that the app of a push is removed.
    private mutating func planTokenEnd(_ index: RegistrationIndex, of device: DeviceIndex, now: Double) {
        guard self.standing(of: index, now: now).inactiveSince == nil,
            self.devices.withState(device, { $0.plannedEnds.insert(index).inserted }) == true
        else { return }
        var dice = SplitMix64(seed: UInt64(bitPattern: Int64(index.rawValue)))
        let delay = self.switches.storage.uninstallDelay * Double.random(in: 0.5..<1.5, using: &dice)
        self.timeline.schedule(.tokenEnds(index), at: now + delay)
    }

    // MARK: Time

    /// Executes a scheduled event of a device.
    mutating func happen(_ event: DeviceTimerEvent, now: Double) {
        let device = event.device
        let switches = self.switches.devices
        switch event.kind {
        case .powerWindow:
            _ = self.devices.withState(device) { $0.hasPowerWindow = false }
            self.flush(device, isAwake: true, now: now)
        case .acknowledgement:
            let isOver = self.devices.withState(device) { state in
                guard let until = state.inFlightUntil, until <= now else { return false }
                state.inFlightUntil = nil
                return true
            }
            if isOver == true { self.flush(device, isAwake: false, now: now) }
        case .storedExpires: self.expireStored(of: device, now: now)
        case .courierCheck: self.checkCourier(device, now: now)
        case .deadline(let call):
            self.change(device, now: now) { $0.missDeadline(of: call, &$1) }
        case .heldMayRun(let bundleID):
            self.change(device, now: now) { state, effects in
                state.lookAtHeld(of: bundleID, switches: switches, now: now, &effects)
            }
        }
    }

    /// Changes the state of a device, and executes the effects.
    @discardableResult
    mutating func change<Value>(
        _ device: DeviceIndex,
        now: Double,
        _ body: (inout DeviceRecord, inout DeviceEffects) -> Value
    ) -> Value? {
        self.giveState(device)
        var effects = DeviceEffects()
        let value = self.devices.withState(device) { body(&$0, &effects) }
        self.apply(effects, to: device, now: now)
        return value
    }
}

/// A notification on its arrival at a virtual device.
public struct Delivery: Sendable, Hashable {
    /// The place in the order of deliveries, from 1.
    ///
    /// A gap means that the reader was too slow and missed some.
    public var sequence: UInt64
    /// The device.
    public var device: VirtualDeviceID
    /// The notification.
    public var notification: ReceivedNotification
}
