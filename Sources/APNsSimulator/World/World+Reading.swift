// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What testers see of the world.
extension World {
    /// What a device holds now, with or without what arrived and what came of it.
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

    private func describe(_ app: DeviceApp) -> VirtualDevice.App {
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

    /// The state of a device that is like others: what arrived happens once more.
    ///
    /// Unless `replays` says otherwise: then it is the state of a device to which nothing has come. What is to be
    /// planned and counted because of it comes with it.
    func makeState(_ device: DeviceIndex, replays: Bool = true) -> (state: DeviceState, effects: DeviceEffects) {
        let row = self.devices[device]
        var state = DeviceState()
        let isOfPopulation = row.origin.populationNumber != nil
        var effects = DeviceEffects()
        if isOfPopulation { state.traits.inherit(isOnline: self.population?.configuration.isOnline ?? true) }
        for offset in 0..<Int32(row.registrations) {
            let registration = RegistrationIndex(rawValue: row.origin.rawValue + offset)
            let bundleID = self.topics[self.topic(of: registration)].bundleID
            if let place = state.appIndex(bundleID) {
                state.apps[place].registrations.append(registration)
            } else {
                state.apps.append(DeviceApp(bundleID: bundleID, registrations: [registration]))
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
        _ state: inout DeviceState
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
