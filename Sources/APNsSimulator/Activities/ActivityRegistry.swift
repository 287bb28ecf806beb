// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The Live Activities of all devices, and the registered types of the apps.
///
/// A pure state machine. The caller passes the time in seconds since 1970. Changes return their effects for the world.
struct ActivityRegistry: Codable, Sendable {
    /// How many activities that are gone are kept for each device.
    private static let maximumDismissed = 100
    /// How many pushes that started nothing are kept for each device.
    private static let maximumIgnored = 1000

    struct Device: Codable, Sendable {
        var apps: [String: AppActivityRecord] = [:]
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

    /// The activities of a device: by relevance, then the latest first; the dismissed ones last.
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

    mutating func add(_ record: ActivityRecord) {
        self.records[record.id] = record
        self.devices[record.device, default: Device()].activities.append(record.id)
        self.forgetDismissed(on: record.device)
    }

    /// Changes an activity and schedules its next automatic transition.
    mutating func change(
        _ id: ActivityID,
        to effects: inout [ActivityEffect],
        _ body: (inout ActivityRecord, inout [ActivityEffect]) -> Void
    ) {
        guard let index = self.records.index(forKey: id) else { return }
        body(&self.records.values[index], &effects)
        // The handler of an earlier reminder schedules the next one, so that frequent changes do not add reminders.
        guard let due = self.records.values[index].nextDue, due < self.reminders[id] ?? .infinity else { return }
        self.reminders[id] = due
        effects.append(.look(id, at: due))
    }

    /// Records that an activity was reminded.
    ///
    /// - Returns: whether one was due; an earlier reminder may have handled it.
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
    mutating func noteIgnored(
        _ fault: ActivityPushError,
        _ arrival: ActivityPushDelivery,
        now: Double
    ) -> [ActivityEffect] {
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
        self.records.values.allSatisfy { (0...SnapshotError.maximumCount).contains($0.droppedEntries) }
    }

    // MARK: Apps

    subscript(device: VirtualDeviceID, bundleID: String) -> AppActivityRecord {
        get { self.devices[device]?.apps[bundleID] ?? AppActivityRecord() }
        set { self.devices[device, default: Device()].apps[bundleID] = newValue }
    }

    /// Deletes the state of an app that was removed from a device: user settings, budgets and tokens.
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

    func type(_ name: String, of bundleID: String) -> ActivityType? { self.types[bundleID]?[name] }
}

/// Automatic transitions of activities.
extension ActivityRegistry {
    /// Executes the due transitions of an activity.
    mutating func look(at id: ActivityID, switches: ActivityOptions, now: Double) -> [ActivityEffect] {
        var effects: [ActivityEffect] = []
        guard self.takeReminder(id, now: now) else { return effects }
        while let record = self[id], let due = record.nextDue, due <= now {
            if record.state.isRunning, let postponed = record.postponed, postponed.until <= now {
                self.followPostponed(postponed, id, switches: switches, now: now, to: &effects)
                continue
            }
            self.change(id, to: &effects) { record, effects in
                record.move(switches: switches, now: now, to: &effects)
            }
        }
        // Even where nothing was due: the reminder is used up, and the next one has to be planned.
        _ = self.takeReminder(id, now: now)
        self.change(id, to: &effects) { _, _ in }
        return effects
    }

    private mutating func followPostponed(
        _ postponed: ActivityRecord.Postponed,
        _ id: ActivityID,
        switches: ActivityOptions,
        now: Double,
        to effects: inout [ActivityEffect]
    ) {
        guard let record = self[id] else { return }
        var app = self[record.device, record.bundleID]
        let until = app.budget.take(hourly: postponed.hourly, now: now)
        self[record.device, record.bundleID] = app
        if let until, until > now {
            self.change(id, to: &effects) { record, _ in record.postponed?.until = until }
            return
        }
        do throws(ActivityPushError) {
            let hints = try self.decode(
                attributes: nil,
                contentState: postponed.push.contentState,
                type: record.attributesType,
                bundleID: record.bundleID,
                now: now
            )
            if let newest = record.timestamp, postponed.push.timestamp < newest {
                throw ActivityPushError(.olderTimestamp, "replaced by a later update while it was over the budget")
            }
            self.change(id, to: &effects) { record, effects in
                record.postponed = nil
                record.follow(
                    postponed.push,
                    origin: postponed.origin,
                    hints: hints,
                    apnsID: postponed.apnsID,
                    switches: switches,
                    now: now,
                    to: &effects
                )
            }
        } catch {
            self.change(id, to: &effects) { record, _ in record.postponed = nil }
            self.ignore(error, id, origin: postponed.origin, apnsID: postponed.apnsID, now: now, to: &effects)
        }
    }
}

extension ActivityRecord {
    /// Executes the due transitions that depend on the activity alone.
    fileprivate mutating func move(switches: ActivityOptions, now: Double, to effects: inout [ActivityEffect]) {
        // The end comes before a change of the token that is due at the same time.
        defer {
            self.issueTokenIfDue(now: now, to: &effects)
            self.closeTokenIfDue(now: now, to: &effects)
        }
        switch self.state {
        case .pending where self.startsAt <= now:
            self.state = .active
            self.note(.started, .system, at: now, detail: "as scheduled", to: &effects)
            self.becomeStaleIfDue(now: now, to: &effects)
        case .active, .stale:
            if self.startsAt + Self.maximumActive <= now {
                self.end(
                    nil,
                    .system,
                    dismissal: .default,
                    details: ["active for 8 hours"],
                    switches: switches,
                    now: now,
                    to: &effects
                )
            } else {
                self.becomeStaleIfDue(now: now, to: &effects)
            }
        case .ended:
            if let dismissesAt = self.dismissesAt, dismissesAt <= now {
                self.dismiss(.system, switches: switches, now: now, to: &effects)
            }
        case .pending, .dismissed: break
        }
    }
}

/// The device and the app that an activity lives on, as far as activities ask.
struct ActivityDeviceContext: Sendable {
    var device: VirtualDeviceID
    /// The version of the device's iOS; 0 for another system.
    var system: SystemVersion
    /// `NSSupportsLiveActivities` of the app's Info.plist.
    var supportsLiveActivities = true
    /// `NSSupportsLiveActivitiesFrequentUpdates` of the app's Info.plist.
    var supportsFrequentUpdates = false
    /// Whether the app is on the screen.
    var isForeground = false

    func isAtLeast(_ major: Int, _ minor: Int = 0) -> Bool {
        self.system >= SystemVersion(major: major, minor: minor)
    }
}

/// A Live Activity push that was delivered to a device.
struct ActivityPushDelivery: Sendable {
    /// The kind of token or channel to which the push was sent.
    enum Way: Sendable {
        /// To the token of an activity, or to one that an activity had.
        case token(ActivityID)
        /// To the token with which activities of a type are started.
        case pushToStart(attributesType: String)
        /// By the channel that an activity is subscribed to.
        case broadcast(ActivityID)
    }

    var host: ActivityDeviceContext
    var bundleID: String
    var way: Way
    var payload: [UInt8]
    /// Whether it has priority 10, named or assumed.
    var isUrgent: Bool
    var apnsID: APNsID?
    /// When APNs accepted it, in seconds since 1970.
    var acceptedAt: Double

    var origin: ActivityTimelineEntry.Origin { if case .broadcast = self.way { .broadcast } else { .push } }
}

/// An action that the world executes after a change of a Live Activity.
enum ActivityEffect: Hashable, Sendable {
    /// Let the activity look at the clock at this time, in seconds since 1970.
    case look(ActivityID, at: Double)
    /// Generate an update token for the activity; it replaces the current one.
    case issueToken(ActivityID)
    /// Respond with 410 for this token from now on.
    case endToken(TokenKey)
    /// Generate a push-to-start token for a type; it replaces the current one.
    case rotatePushToStart(VirtualDeviceID, bundleID: String, attributesType: String)
    /// Publish an entry to the feed.
    case record(ActivityLogEntry)
    /// Call the app, in the background.
    case appCall(VirtualDeviceID, bundleID: String, call: AppCallback.Name, details: [String: String])
    /// Give the activity the broadcasts of a channel.
    case subscribe(ActivityID, channel: String)
    /// Take them away.
    case unsubscribe(ActivityID, channel: String)
}
