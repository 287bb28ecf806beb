// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The full state of a device: traits, apps, app callbacks and the visible notifications.
///
/// A pure state machine without access to the state of APNs. Changes return ``DeviceEffects``.
struct DeviceRecord: Codable, Sendable {
    /// How many events and app calls are kept.
    static let maximumHistory = 500
    /// How many notifications of the list are kept.
    static let maximumShown = 1000

    var traits = SimulatedDeviceState()
    var apps: [InstalledApp] = []
    /// The visible notifications, oldest first.
    private(set) var shown: [DeliveredNotification] = []
    /// The number of older notifications dropped from that list.
    private(set) var droppedShown = 0
    /// The callbacks of apps, oldest first.
    private(set) var calls: [AppCallback] = []
    /// The events, oldest first.
    private(set) var history: [SimulatorEvent] = []
    /// Until when a notification is in flight, in seconds since 1970.
    var inFlightUntil: Double?
    /// Whether a group of notifications that are not urgent is planned.
    var hasPowerWindow = false
    /// The time of the scheduled expiry check of stored notifications, in seconds since 1970.
    var expiryPlannedAt: Double?
    /// The tokens of removed apps that APNs has not marked unregistered yet.
    var plannedEnds: Set<RegistrationIndex> = []
    private var nextCall = 1

    /// Whether the counters read from a document are valid.
    var isSound: Bool {
        (0...SnapshotError.maximumCount).contains(self.nextCall)
            && (0...SnapshotError.maximumCount).contains(self.droppedShown)
    }

    /// The place of an app that is installed.
    func appIndex(_ bundleID: String) -> Int? {
        self.apps.firstIndex { $0.bundleID == bundleID && !$0.isRemoved }
    }

    /// The place of the app with this registration, which may be removed without APNs's knowledge.
    func appIndex(_ registration: RegistrationIndex) -> Int? {
        self.apps.firstIndex { $0.registrations.contains(registration) }
    }

    mutating func keep(_ event: SimulatorEvent) {
        self.history.append(event)
        if self.history.count > Self.maximumHistory {
            self.history.removeFirst(self.history.count - Self.maximumHistory)
        }
    }

    // MARK: The list

    /// Adds a notification to the list; it replaces one with the same identifier, or the oldest if the list is full.
    ///
    /// Returns whether it replaced one with the same identifier.
    mutating func show(_ notification: DeliveredNotification) -> Bool {
        let older = self.shown.lastIndex {
            $0.identifier == notification.identifier && $0.bundleID == notification.bundleID
        }
        if let older {
            self.shown.remove(at: older)
        } else if self.shown.count == Self.maximumShown {
            self.shown.removeFirst()
            self.droppedShown += 1
        }
        self.shown.append(notification)
        return older != nil
    }

    /// Takes notifications out of the list.
    ///
    /// - Returns: those that were there.
    mutating func remove(where matches: (DeliveredNotification) -> Bool) -> [DeliveredNotification] {
        let gone = self.shown.filter(matches)
        self.shown.removeAll(where: matches)
        return gone
    }

    // MARK: Calls

    /// Records a callback of an app, with or without a notification.
    ///
    /// With `seconds` the app has that long to complete the call; without, no completion is expected. An app that
    /// completes immediately reports `result`.
    mutating func call(
        _ name: AppCallback.Name,
        of place: Int,
        about record: NotificationRecord?,
        arguments: [String: String] = [:],
        within seconds: Double? = nil,
        result: String = "done",
        now: Double,
        _ effects: inout DeviceEffects
    ) {
        var call = AppCallback(
            at: Date(timeIntervalSince1970: now),
            bundleID: self.apps[place].bundleID,
            name: name,
            arguments: arguments
        )
        call.apnsID = record?.apnsID
        call.userInfo = record?.payload
        call.deadline = seconds.map { call.at.addingTimeInterval($0) }
        if seconds != nil, self.apps[place].traits.completion == .automatic {
            call.completedAt = call.at
            call.result = result
        }
        self.add(call, to: place, &effects)
    }

    mutating func add(_ call: AppCallback, to place: Int, _ effects: inout DeviceEffects) {
        var call = call
        call.number = self.nextCall
        call.launches = self.apps[place].traits.state.isEnded
        self.nextCall += 1
        if call.isOpen, let deadline = call.deadline {
            effects.schedule(.deadline(call: call.number), at: deadline.timeIntervalSince1970)
        }
        let details = ["call": call.name.rawValue, "number": "\(call.number)"]
        effects.note(.appCalled, call.bundleID, call.apnsID, details)
        self.calls.append(call)
        if self.calls.count > Self.maximumHistory { self.calls.removeFirst(self.calls.count - Self.maximumHistory) }
    }

    /// An app says that it is done with a call.
    ///
    /// - Returns: whether it was expected to.
    mutating func complete(_ number: Int, result: String, now: Double, _ effects: inout DeviceEffects) -> Bool {
        guard let place = self.calls.firstIndex(where: { $0.number == number }), self.calls[place].isOpen else {
            return false
        }
        self.calls[place].completedAt = Date(timeIntervalSince1970: now)
        self.calls[place].result = result
        let call = self.calls[place]
        effects.note(.callCompleted, call.bundleID, call.apnsID, ["number": "\(number)", "result": result])
        return true
    }

    mutating func missDeadline(of number: Int, _ effects: inout DeviceEffects) {
        guard let place = self.calls.firstIndex(where: { $0.number == number }), self.calls[place].isOpen else {
            return
        }
        self.calls[place].missedDeadline = true
        let call = self.calls[place]
        effects.note(.deadlineMissed, call.bundleID, call.apnsID, ["call": call.name.rawValue, "number": "\(number)"])
    }

    // MARK: Apps

    /// Removes an app, as the user does.
    ///
    /// With `keepsStore` APNs has not noticed the removal: stored notifications stay stored.
    mutating func forget(_ place: Int, keepsStore: Bool, _ effects: inout DeviceEffects) {
        let bundleID = self.apps[place].bundleID
        self.shown.removeAll { $0.bundleID == bundleID }
        if let held = self.apps[place].held { effects.discard(.appRemoved, bundleID, held.apnsID) }
        effects.note(.stateChanged, bundleID, nil, ["installed": "false"])
        guard keepsStore else {
            self.apps.remove(at: place)
            return
        }
        self.apps[place].held = nil
        self.apps[place].isRemoved = true
    }
}

/// The actions of the user on a device.
extension DeviceRecord {
    /// The action of a tap on a notification, as UserNotifications names it.
    static let defaultAction = "com.apple.UNNotificationDefaultActionIdentifier"

    /// Applies new traits of an app.
    mutating func change(
        _ place: Int,
        to traits: SimulatedAppState,
        switches: DeviceOptions,
        now: Double,
        _ effects: inout DeviceEffects
    ) {
        let old = self.apps[place].traits
        guard old != traits else { return }
        let bundleID = self.apps[place].bundleID
        self.apps[place].traits = traits
        var details: [String: String] = [:]
        if old.state != traits.state { details["state"] = traits.state.rawValue }
        if old.permission != traits.permission { details["permission"] = traits.permission.rawValue }
        effects.note(.stateChanged, bundleID, nil, details)
        if traits.state == .forceQuit, let held = self.apps[place].held {
            self.apps[place].held = nil
            effects.discard(.forceQuit, bundleID, held.apnsID)
        }
        if !traits.permission.showsNotifications { _ = self.remove { $0.bundleID == bundleID } }
        if traits.state == .foreground, old.state != .foreground {
            self.releaseHeld(place, isOpened: true, switches: switches, now: now, &effects)
        }
    }

    /// The user acts on a notification in the list.
    ///
    /// `action` is an action of its category; `nil` is a tap, which opens the app. `text` is the text that the user
    /// typed. Returns whether the notification existed.
    mutating func respond(
        to identifier: String,
        of bundleID: String?,
        action: String?,
        text: String?,
        switches: DeviceOptions,
        now: Double,
        _ effects: inout DeviceEffects
    ) -> Bool {
        guard let notification = self.shown.last(where: { $0.isMeant(identifier, bundleID) }),
            let place = self.appIndex(notification.bundleID)
        else { return false }
        _ = self.remove { $0 == notification }
        let action = action ?? Self.defaultAction
        effects.note(.removed, notification.bundleID, notification.apnsID, cause: "response", ["action": action])
        if action == Self.defaultAction {
            var traits = self.apps[place].traits
            traits.state = .foreground
            self.change(place, to: traits, switches: switches, now: now, &effects)
        }
        var call = AppCallback(
            at: Date(timeIntervalSince1970: now),
            bundleID: notification.bundleID,
            name: .didReceiveResponse,
            arguments: ["actionIdentifier": action, "identifier": notification.identifier]
        )
        call.apnsID = notification.apnsID
        call.userInfo = notification.payload
        if let text { call.arguments["userText"] = text }
        self.add(call, to: place, &effects)
        return true
    }

    /// The user removes notifications from the list.
    ///
    /// Without an identifier and an app, all are removed. Returns the number of removed notifications.
    mutating func dismiss(_ identifier: String?, of bundleID: String?, _ effects: inout DeviceEffects) -> Int {
        let gone = self.remove { notification in
            identifier.map { notification.isMeant($0, bundleID) }
                ?? (bundleID ?? notification.bundleID == notification.bundleID)
        }
        for notification in gone {
            effects.note(.removed, notification.bundleID, notification.apnsID, cause: "dismissal")
        }
        return gone.count
    }
}

extension DeliveredNotification {
    fileprivate func isMeant(_ identifier: String, _ bundleID: String?) -> Bool {
        self.identifier == identifier && bundleID ?? self.bundleID == self.bundleID
    }
}

extension DeviceRecord {
    /// Keeps a notification in the slot of its app.
    ///
    /// - Returns: the one that had to go.
    mutating func store(_ notification: StoredNotification, bundleID: String) -> StoredNotification? {
        guard let place = self.slot(of: notification.registration, bundleID) else { return nil }
        defer { self.apps[place].waiting = notification }
        return self.apps[place].waiting
    }

    /// Removes the stored notification of an app.
    ///
    /// - Returns: the removed notification.
    mutating func takeStored(of registration: RegistrationIndex, _ bundleID: String) -> StoredNotification? {
        guard let place = self.slot(of: registration, bundleID) else { return nil }
        defer { self.apps[place].waiting = nil }
        return self.apps[place].waiting
    }

    /// The app in whose slot a notification is stored.
    func storingApp(of registration: RegistrationIndex, _ bundleID: String) -> InstalledApp? {
        self.slot(of: registration, bundleID).map { self.apps[$0] }
    }

    /// The place of the app whose slot it is; one that is removed without APNs's knowledge has its own.
    private func slot(of registration: RegistrationIndex, _ bundleID: String) -> Int? {
        self.appIndex(registration) ?? self.appIndex(bundleID) ?? self.apps.firstIndex { $0.bundleID == bundleID }
    }

    /// Takes the oldest notification out of the slots that is fit.
    mutating func takeStored(where isFit: (NotificationRecord) -> Bool) -> StoredNotification? {
        var oldest: (place: Int, acceptedAt: Double)?
        for (place, app) in self.apps.enumerated() {
            guard let record = app.waiting?.record, isFit(record) else { continue }
            if let found = oldest, found.acceptedAt <= record.acceptedAt { continue }
            oldest = (place, record.acceptedAt)
        }
        guard let place = oldest?.place else { return nil }
        defer { self.apps[place].waiting = nil }
        return self.apps[place].waiting
    }
}

/// An app on a device that is unlike others.
struct InstalledApp: Codable, Sendable {
    var bundleID: String
    var traits = SimulatedAppState()
    /// Its tokens that are active, in the order of their issue.
    var registrations: [RegistrationIndex]
    var badge: Int?
    /// Its notification in APNs's store.
    var waiting: StoredNotification?
    /// The background notification that waits on the device until the app may run.
    var held: NotificationRecord?
    /// When it is looked at whether the app may run, in seconds since 1970.
    var runPlannedAt: Double?
    var background = BackgroundBudget()
    /// When complications were updated within the last day; seconds since 1970.
    var complicationPushes: [Double] = []
    /// When widgets were reloaded within the last hour; seconds since 1970.
    var widgetPushes: [Double] = []
    /// Whether the app was removed and APNs has not recorded that yet.
    var isRemoved = false

    init(bundleID: String, registrations: [RegistrationIndex]) {
        self.bundleID = bundleID
        self.registrations = registrations
    }
}

/// The recent background launches of an app by notifications.
struct BackgroundBudget: Codable, Sendable {
    /// The times of the launches within the last day, in seconds since 1970.
    private(set) var runs: [Double] = []

    /// The earliest time of the next background launch; at most `now` if it may be immediate.
    func opens(_ switches: DeviceOptions, now: Double) -> Double {
        var opens = now
        for (limit, span) in [(switches.backgroundPerHour, 3600.0), (switches.backgroundPerDay, 86_400.0)] {
            guard let limit else { continue }
            let recent = self.runs.filter { $0 > now - span }
            guard recent.count >= limit else { continue }
            // The oldest of the last `limit` runs has to be out of the span.
            opens = max(opens, limit == 0 ? .infinity : recent[recent.count - limit] + span)
        }
        return opens
    }

    /// Records a run, as far as a limit requires it.
    mutating func spend(_ switches: DeviceOptions, now: Double) {
        self.runs.removeAll { $0 <= now - 86_400 }
        self.runs.append(now)
        let needed = max(switches.backgroundPerHour ?? 0, switches.backgroundPerDay ?? 0)
        self.runs.removeFirst(max(0, self.runs.count - needed))
    }
}
