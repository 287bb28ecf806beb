// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Every Live Activity of all devices, and the types of the apps that have registered some.
///
/// A value; time is handed in, and what the world has to do about a change is handed back.
struct ActivityBook: Codable, Sendable {
    /// How many activities that are gone are kept for each device.
    private static let maximumDismissed = 100
    /// How many pushes that started nothing are kept for each device.
    private static let maximumIgnored = 1000

    /// The activities of one device.
    struct Device: Codable, Sendable {
        var apps: [String: ActivityApp] = [:]
        /// In the order in which they were started.
        var activities: [ActivityID] = []
        private(set) var ignored: [ActivityLogEntry] = []

        /// Keeps the reason why a push started nothing, and forgets the oldest beyond `limit`.
        mutating func keepIgnored(_ entry: ActivityLogEntry, limit: Int) {
            self.ignored.append(entry)
            if self.ignored.count > limit { self.ignored.removeFirst() }
        }
    }

    private var records: [ActivityID: ActivityRecord] = [:]
    private var devices: [VirtualDeviceID: Device] = [:]
    private var types: [String: [String: ActivityType]] = [:]
    /// When each activity is reminded next, in seconds since 1970.
    private var reminders: [ActivityID: Double] = [:]

    // MARK: Activities

    /// An activity that is not forgotten.
    subscript(id: ActivityID) -> ActivityRecord? { self.records[id] }

    /// The activities of a device, those shown first in front: by relevance, then the newest.
    func activities(of device: VirtualDeviceID) -> [ActivityRecord] {
        let records = (self.devices[device]?.activities ?? []).compactMap { self.records[$0] }
        let shown = records.filter { $0.state != .dismissed }.enumerated().sorted { left, right in
            let (one, other) = (left.element, right.element)
            return one.relevanceScore == other.relevanceScore
                ? left.offset > right.offset : one.relevanceScore > other.relevanceScore
        }
        return shown.map(\.element) + records.filter { $0.state == .dismissed }.reversed()
    }

    /// The pushes to a device that started nothing, oldest first.
    func ignored(on device: VirtualDeviceID) -> [ActivityLogEntry] { self.devices[device]?.ignored ?? [] }

    /// How many activities there are on a device, and how many of those are an app's.
    func counts(device: VirtualDeviceID, bundleID: String) -> (onDevice: Int, ofApp: Int) {
        let running = (self.devices[device]?.activities ?? []).compactMap { self.records[$0] }
            .filter { $0.state.isRunning }
        return (running.count, running.count { $0.bundleID == bundleID })
    }

    /// The running activities of an app on a device, in the order in which they were started.
    func running(device: VirtualDeviceID, bundleID: String) -> [ActivityID] {
        (self.devices[device]?.activities ?? []).filter { id in
            self.records[id].map { $0.bundleID == bundleID && $0.state != .dismissed } ?? false
        }
    }

    /// Adds an activity.
    mutating func add(_ record: ActivityRecord) {
        self.records[record.id] = record
        self.devices[record.device, default: Device()].activities.append(record.id)
        self.forgetDismissed(on: record.device)
    }

    /// Changes an activity and lets the world remind it of what it does by itself.
    mutating func change(
        _ id: ActivityID,
        to effects: inout [ActivityEffect],
        _ body: (inout ActivityRecord, inout [ActivityEffect]) -> Void
    ) {
        guard let index = self.records.index(forKey: id) else { return }
        body(&self.records.values[index], &effects)
        // An earlier reminder looks for what comes after it, so that an activity that changes often has few of them.
        guard let due = self.records.values[index].nextDue, due < self.reminders[id] ?? .infinity else { return }
        self.reminders[id] = due
        effects.append(.look(id, at: due))
    }

    /// Takes note that an activity was reminded.
    ///
    /// - Returns: whether it was to be; another reminder may have come before.
    mutating func takeReminder(_ id: ActivityID, now: Double) -> Bool {
        guard let due = self.reminders[id], due <= now else { return false }
        self.reminders[id] = nil
        return true
    }

    private mutating func forgetDismissed(on device: VirtualDeviceID) {
        guard let ids = self.devices[device]?.activities, ids.count > Self.maximumDismissed else { return }
        let gone = ids.filter { self.records[$0]?.state == .dismissed && self.records[$0]?.nextDue == nil }
        let forgotten = Set(gone.dropLast(Self.maximumDismissed))
        guard !forgotten.isEmpty else { return }
        self.devices[device]?.activities.removeAll { forgotten.contains($0) }
        for id in forgotten { self.records[id] = nil }
    }

    /// Keeps the reason why a push started nothing.
    mutating func noteIgnored(_ fault: ActivityFault, _ arrival: ActivityArrival, now: Double) -> [ActivityEffect] {
        let entry = ActivityTimelineEntry(
            .ignored,
            arrival.origin,
            at: now,
            cause: fault.cause,
            detail: fault.detail,
            apnsID: arrival.apnsID
        )
        let log = ActivityLogEntry(device: arrival.host.device, bundleID: arrival.bundleID, entry: entry)
        self.devices[arrival.host.device, default: Device()].keepIgnored(log, limit: Self.maximumIgnored)
        return [.record(log)]
    }

    /// Whether all counters can be counted on, after they came from a document.
    var isSound: Bool {
        self.records.values.allSatisfy { (0...SnapshotFault.maximumCount).contains($0.droppedEntries) }
    }

    // MARK: Apps

    /// What an app on a device may do.
    subscript(device: VirtualDeviceID, bundleID: String) -> ActivityApp {
        get { self.devices[device]?.apps[bundleID] ?? ActivityApp() }
        set { self.devices[device, default: Device()].apps[bundleID] = newValue }
    }

    /// Forgets an app that was removed from a device: what the person has set, budgets and tokens.
    mutating func forgetApp(_ bundleID: String, on device: VirtualDeviceID) {
        self.devices[device]?.apps[bundleID] = nil
    }

    // MARK: Types

    /// Registers a type, in the place of one of the same name.
    mutating func register(_ type: ActivityType, bundleID: String) {
        self.types[bundleID, default: [:]][type.name] = type
    }

    /// Forgets a type.
    ///
    /// - Returns: whether there was one.
    mutating func removeType(_ name: String, bundleID: String) -> Bool {
        guard self.types[bundleID]?.removeValue(forKey: name) != nil else { return false }
        if self.types[bundleID]?.isEmpty == true { self.types[bundleID] = nil }
        return true
    }

    /// The registered types of an app, by name.
    func types(of bundleID: String) -> [ActivityType] {
        (self.types[bundleID] ?? [:]).values.sorted { $0.name < $1.name }
    }

    /// A registered type.
    func type(_ name: String, of bundleID: String) -> ActivityType? { self.types[bundleID]?[name] }
}
