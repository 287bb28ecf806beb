// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What makes a device unlike others: what it is like, its apps, what they were told, what the person sees.
///
/// A value without knowledge of APNs's side; what has to be told or planned is handed out as ``DeviceEffects``.
struct DeviceState: Codable, Sendable {
    /// How many events and app calls are kept.
    static let maximumHistory = 500
    /// How many notifications of the list are kept.
    static let maximumShown = 1000

    var traits = DeviceTraits()
    var apps: [DeviceApp] = []
    /// The list that the person sees, oldest first.
    private(set) var shown: [ShownNotification] = []
    /// How many older ones of the list are not kept any more.
    private(set) var droppedShown = 0
    /// What apps were told, oldest first.
    private(set) var calls: [AppCall] = []
    /// What happened, oldest first.
    private(set) var history: [SimulatorEvent] = []
    /// Until when a notification is in flight, in seconds since 1970.
    var inFlightUntil: Double?
    /// Whether a group of notifications that are not urgent is planned.
    var hasPowerWindow = false
    /// When it is looked at what of the stored notifications has expired, in seconds since 1970.
    var expiryPlannedAt: Double?
    /// The tokens of removed apps of which APNs is going to take note.
    var plannedEnds: Set<RegistrationIndex> = []
    private var nextCall = 1

    /// Whether its counters can go on, after it came from a document.
    var isSound: Bool {
        (0...SnapshotFault.maximumCount).contains(self.nextCall)
            && (0...SnapshotFault.maximumCount).contains(self.droppedShown)
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

    /// Puts a notification into the list; one with its identifier makes way, or the oldest where there are too many.
    ///
    /// Returns whether there was one with its identifier.
    mutating func show(_ notification: ShownNotification) -> Bool {
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
    mutating func remove(where matches: (ShownNotification) -> Bool) -> [ShownNotification] {
        let gone = self.shown.filter(matches)
        self.shown.removeAll(where: matches)
        return gone
    }

    // MARK: Calls

    /// Tells an app something about a notification, or without one.
    ///
    /// The app may take `seconds` to say that it is done; without, it need not say so. An app that answers at once says
    /// `result`.
    mutating func call(
        _ name: AppCall.Name,
        of place: Int,
        about record: NotificationRecord?,
        arguments: [String: String] = [:],
        within seconds: Double? = nil,
        result: String = "done",
        now: Double,
        _ effects: inout DeviceEffects
    ) {
        var call = AppCall(
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

    /// Tells an app something.
    mutating func add(_ call: AppCall, to place: Int, _ effects: inout DeviceEffects) {
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

    /// The time for a call is over.
    mutating func missDeadline(of number: Int, _ effects: inout DeviceEffects) {
        guard let place = self.calls.firstIndex(where: { $0.number == number }), self.calls[place].isOpen else {
            return
        }
        self.calls[place].missedDeadline = true
        let call = self.calls[place]
        effects.note(.deadlineMissed, call.bundleID, call.apnsID, ["call": call.name.rawValue, "number": "\(number)"])
    }

    // MARK: Apps

    /// The person removes an app.
    ///
    /// With `keepsStore` APNs does not know of it: what waits there waits on.
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
