// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Processes accepted pushes.
extension SimulatorState {
    /// Delivers an accepted push, stores it or discards it.
    mutating func accept(
        _ request: RequestHead,
        _ facts: ParsedRequestHeaders,
        for index: RegistrationIndex,
        apnsID: APNsID,
        now: Double
    ) {
        self.statistics.accepted += 1
        let device = self.device(of: index)
        if self.isOrdinary(facts, device, index) {
            let content = self.contents.retain(request, facts, topic: self.topic(of: index))
            if !self.contents.asksForRun(content) || self.hasFreeRun(device) {
                let entry = NotificationLogEntry(
                    apnsID: apnsID,
                    namesID: facts.apnsID != .absent,
                    content: content,
                    device: device,
                    acceptedAt: now,
                    receivedAt: now
                )
                return self.acceptOrdinary(entry, for: index, now: now)
            }
            self.contents.release(content)
        }
        let record = NotificationRecord(
            content: NotificationContent(request, facts, topic: self.topic(of: index)),
            apnsID: apnsID,
            namesID: facts.apnsID != .absent,
            acceptedAt: now
        )
        self.submit(record, to: device, registration: index, now: now)
    }

    /// Whether a push needs no device state: neither the device nor the push has special properties, and no reader
    /// exists.
    private func isOrdinary(_ facts: ParsedRequestHeaders, _ device: DeviceIndex, _ index: RegistrationIndex) -> Bool {
        guard self.devices[device].state < 0, !self.events.wantsEvents else { return false }
        guard facts.pushKind.isBackground || facts.kind.value ?? 0 == 0 else { return false }
        return self.topics[self.topic(of: index)].kind == .app && self.registrations.kind(of: index) == nil
    }

    /// Whether a notification certainly lets an app run: the first of them are within any device's budget.
    private func hasFreeRun(_ device: DeviceIndex) -> Bool {
        self.devices[device].arrived < UInt64(clamping: self.switches.devices.freeBackgroundRuns)
    }

    private mutating func acceptOrdinary(_ entry: NotificationLogEntry, for index: RegistrationIndex, now: Double) {
        guard index.populationNumber == nil || self.population?.configuration.isOnline == true else {
            return self.store(entry)
        }
        let device = DeviceIndex(rawValue: entry.device)
        if self.devices[device].waiting >= 0 { self.deliverWaiting(to: device, now: now) }
        self.deliver(entry)
    }

    // MARK: Devices that are like others

    private mutating func deliver(_ entry: NotificationLogEntry) {
        self.statistics.delivered += 1
        let sequence = self.events.countDelivery()
        self.log.append(entry, devices: &self.devices, contents: &self.contents)
        guard self.events.wantsDeliveries, let record = self.record(entry) else { return }
        let device = self.devices.id(of: DeviceIndex(rawValue: entry.device))
        let notification = self.describe(record, receivedAt: entry.receivedAt)
        self.events.add(Delivery(sequence: sequence, device: device, notification: notification))
    }

    private mutating func store(_ entry: NotificationLogEntry) {
        let device = DeviceIndex(rawValue: entry.device)
        let expiresAt = self.contents.content(entry.content)?.expiresAt(acceptedAt: entry.acceptedAt) ?? 0
        guard expiresAt > entry.acceptedAt else {
            self.contents.release(entry.content)
            self.statistics.expired += 1
            return self.statistics.discarded[.notStored, default: 0] += 1
        }
        self.statistics.stored += 1
        if self.devices[device].waiting >= 0 {
            let older = self.waiting.remove(self.devices[device].waiting)
            self.contents.release(older.content)
            self.statistics.replaced += 1
            self.statistics.discarded[.replaced, default: 0] += 1
        }
        self.devices[device].waiting = self.waiting.add(entry)
    }

    /// Delivers the stored notification of a device, unless it has expired.
    private mutating func deliverWaiting(to device: DeviceIndex, now: Double) {
        let entry = self.waiting.remove(self.devices[device].waiting)
        self.devices[device].waiting = -1
        guard let record = self.record(entry), record.expiresAt > now else {
            self.contents.release(entry.content)
            self.statistics.expired += 1
            return self.statistics.discarded[.expired, default: 0] += 1
        }
        self.deliver(NotificationLogEntry(record, content: entry.content, device: device, receivedAt: now))
    }

    /// Applies the population's online state to its devices, except for those with an explicit setting.
    ///
    /// Stored notifications are delivered, unless they have expired. Each call processes a limited number of devices,
    /// starting with the row `first`.
    ///
    /// - Returns: the next row; `nil` after the last.
    mutating func followPopulation(from first: Int, now: Double) -> Int? {
        guard let isOnline = self.population?.configuration.isOnline, first < self.devices.count else { return nil }
        let end = min(first + Self.populationSlice, self.devices.count)
        for row in first..<end {
            let device = DeviceIndex(rawValue: Int32(row))
            guard self.devices[device].origin.populationNumber != nil else { continue }
            if var traits = self.devices.state(device)?.traits {
                guard traits.inheritsIsOnline else { continue }
                traits.inherit(isOnline: isOnline)
                self.setTraits(traits, of: device, now: now)
            } else if isOnline, self.devices[device].waiting >= 0 {
                self.deliverWaiting(to: device, now: now)
            }
        }
        return end < self.devices.count ? end : nil
    }

    /// How many devices are seen to at once, while others wait.
    private static var populationSlice: Int { 4096 }

    // MARK: Reading

    /// The notification of an entry.
    func record(_ entry: NotificationLogEntry) -> NotificationRecord? {
        self.contents.content(entry.content).map {
            NotificationRecord(
                content: $0,
                apnsID: entry.apnsID,
                namesID: entry.namesID,
                acceptedAt: entry.acceptedAt
            )
        }
    }

    /// A notification as it is shown to testers.
    func describe(_ record: NotificationRecord, receivedAt: Double) -> ReceivedNotification {
        ReceivedNotification(
            bundleID: self.topics[record.topic].bundleID,
            payload: record.payload,
            apnsID: record.apnsID,
            headers: record.headers,
            receivedAt: Date(timeIntervalSince1970: receivedAt)
        )
    }
}

extension DeviceOptions {
    /// How many background notifications certainly let an app run, whenever they come.
    fileprivate var freeBackgroundRuns: Int { min(self.backgroundPerHour ?? .max, self.backgroundPerDay ?? .max) }
}
