// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation
public import JSONSchema

/// The lifecycle of a Live Activity: the content on devices, and whether devices still show it.
///
/// A pure state machine: a store loads it, applies one event and writes it back in one transaction. It has only the
/// latest content: a device that missed a change is sent the latest state.
public struct ActivityLifecycle: Hashable, Sendable {
    /// The state of an activity.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// No device shows it, as far as is known.
        ///
        /// Can transition to: `active` when an app starts it or accepts a start push, `ended`, `expired`.
        case pending

        /// Devices show it.
        ///
        /// Can transition to: `ended` by the caller, `expired` by its age.
        case active

        /// The caller ended it. Final.
        case ended

        /// The system ended it, 8 hours after the start on the last device; or no device showed it for 30 days. Final.
        case expired

        /// Whether devices ignore later pushes.
        public var isOver: Bool { self == .ended || self == .expired }
    }

    public internal(set) var state: State

    /// The number of the content version; the initial content is version 1.
    public internal(set) var version: Int

    /// The `timestamp` of the latest content, in seconds since 1970: greater with every version.
    public internal(set) var timestamp: Int64

    /// The latest content state; `nil` if the app started it without reporting one.
    public internal(set) var contentState: RawJSONObject?

    /// The stale date of the latest content, in seconds since 1970.
    public internal(set) var staleDate: Int64?

    /// Which of an app's activities is shown first: the highest.
    public internal(set) var relevanceScore: Double?

    public internal(set) var priority: Priority
    public internal(set) var budget: PushBudget?
    public internal(set) var alert: ActivityAlert?

    /// When an ended activity leaves the Lock Screen, in seconds since 1970; `nil` leaves that to the system.
    public internal(set) var dismissalDate: Int64?

    /// When the first device showed it.
    public internal(set) var startedAt: Date?

    /// When the system has ended it on every device; `nil` if no device shows it or was sent a start.
    public internal(set) var expiresAt: Date?

    public internal(set) var endedAt: Date?

    public init(
        state: State = .pending,
        version: Int = 1,
        timestamp: Int64,
        contentState: RawJSONObject?,
        staleDate: Int64? = nil,
        relevanceScore: Double? = nil,
        priority: Priority = .immediate,
        budget: PushBudget? = nil,
        alert: ActivityAlert? = nil,
        dismissalDate: Int64? = nil,
        startedAt: Date? = nil,
        expiresAt: Date? = nil,
        endedAt: Date? = nil
    ) {
        self.state = state
        self.version = version
        self.timestamp = timestamp
        self.contentState = contentState
        self.staleDate = staleDate
        self.relevanceScore = relevanceScore
        self.priority = priority
        self.budget = budget
        self.alert = alert
        self.dismissalDate = dismissalDate
        self.startedAt = startedAt
        self.expiresAt = expiresAt
        self.endedAt = endedAt
    }
}

extension ActivityLifecycle {
    /// Records that a device shows the activity since a time: an app started it, or accepted the start push.
    ///
    /// Each device shows it for 8 hours; an ended activity does not change.
    public mutating func start(at time: Date) {
        guard !self.state.isOver else { return }
        self.state = .active
        self.startedAt = self.startedAt.map { min($0, time) } ?? time
        let end = time.addingTimeInterval(Double(ActivityLimit.runningSeconds))
        self.expiresAt = self.expiresAt.map { max($0, end) } ?? end
    }

    /// Binds it to a broadcast channel: any device may show it from now on, for 8 hours after its start there, without
    /// a report.
    ///
    /// So it does not expire by the known devices.
    mutating func bind(now: Date) {
        self.state = .active
        self.startedAt = now
    }

    /// Records that devices are sent a start push: they may accept it for 8 hours, and show the activity for 8 more.
    public mutating func recordStart(at time: Date) {
        guard !self.state.isOver else { return }
        let end = time.addingTimeInterval(Double(2 * ActivityLimit.runningSeconds))
        self.expiresAt = self.expiresAt.map { max($0, end) } ?? end
    }

    /// The time at which it ends without further events, because it runs on no device.
    ///
    /// `isPlanned` is whether it has scheduled changes. An activity that no device has shown waits for these.
    ///
    /// - Returns: the time; `nil` while it waits, or if it has ended.
    public func end(isPlanned: Bool) -> Date? {
        if self.state.isOver { return nil }
        if let expiresAt { return expiresAt }
        if isPlanned { return nil }
        return Date(timeIntervalSince1970: Double(self.timestamp) + Double(ActivityLimit.idleSeconds))
    }

    /// Ends it if its 8 hours are over on every device, or if no device showed it for very long.
    ///
    /// - Returns: whether it ended now.
    public mutating func expire(isPlanned: Bool, now: Date) -> Bool {
        guard let end = self.end(isPlanned: isPlanned), end <= now else { return false }
        self.state = .expired
        self.endedAt = end
        return true
    }

    /// Applies changes in order, as one version.
    ///
    /// For each value, the last change that sets it has precedence; the last alert, the highest priority and the
    /// strictest budget count. `fixedBytes` is the size of the activity's attributes.
    /// - Returns: whether devices receive it: then there is a new version.
    /// - Throws: ``ActivityError``; then nothing changed.
    public mutating func apply(
        _ changes: [ActivityChange],
        fixedBytes: Int,
        schema: JSONSchema? = nil,
        now: Date
    ) throws(ActivityError) -> Bool {
        guard !self.state.isOver else { throw .over }
        let visible = changes.filter(\.isVisible)
        guard !visible.isEmpty else { return false }
        var changed = self
        changed.version = self.version.addingClamping(1)
        changed.timestamp = max(now.secondsSince1970, self.timestamp.addingClamping(1))
        changed.priority = visible.map(\.priority).max() ?? .immediate
        changed.budget = PushBudget.strictest(visible.compactMap(\.budget))
        for change in visible { try changed.apply(change, now: now) }
        // Check the size first, because the cost of a schema grows with the value.
        try changed.checkSize(fixedBytes: fixedBytes)
        if let schema, let state = changed.contentState, visible.contains(where: { $0.contentState != nil }) {
            changed.contentState = try schema.checked(state, field: "contentState")
            try changed.checkSize(fixedBytes: fixedBytes)
        }
        self = changed
        return true
    }

    /// Checks that devices will be able to decode a scheduled change, as far as is known.
    ///
    /// - Throws: ``ActivityError`` `.mismatch`.
    public func check(planned change: ActivityChange, schema: JSONSchema) throws(ActivityError) {
        switch change.contentState {
        case nil: break
        case .replaced(let state): _ = try schema.checked(state, field: "contentState")
        case .patched(let patch):
            guard let contentState else { return }
            let faults = schema.faults(ofPatch: patch, to: contentState, field: "contentState")
            guard faults.isEmpty else { throw .mismatch(faults) }
        }
    }

    private mutating func apply(_ change: ActivityChange, now: Date) throws(ActivityError) {
        switch change.contentState {
        case nil: break
        case .replaced(let state): self.contentState = state
        case .patched(let patch): self.contentState = try self.patched(by: patch)
        }
        switch change.staleDate {
        case nil: break
        case .never: self.staleDate = nil
        case .at(let date): self.staleDate = date.secondsSince1970
        case .after(let seconds): self.staleDate = now.secondsSince1970.addingClamping(Int64(seconds))
        }
        if let score = change.relevanceScore {
            guard score.isFinite else { throw .notFinite }
            self.relevanceScore = score
        }
        if let alert = change.alert {
            self.alert = ActivityAlert(alert: alert, version: self.version, priority: change.priority)
        }
        guard let end = change.end else {
            // An update carries the state; only an end may go without.
            guard self.contentState != nil || self.state.isOver else { throw .noContentState }
            return
        }
        self.state = .ended
        self.endedAt = now
        // The system removes it by then in any case.
        let latest = now.secondsSince1970 + Int64(ActivityLimit.dismissalSeconds)
        self.dismissalDate =
            switch end {
            case .standard: nil
            // A time that has passed takes it off the Lock Screen at once.
            case .immediate: now.secondsSince1970 - 1
            case .at(let date): min(latest, date.secondsSince1970)
            case .after(let seconds): min(latest, now.secondsSince1970.addingClamping(Int64(seconds)))
            }
    }

    private func patched(by patch: RawJSONObject) throws(ActivityError) -> RawJSONObject {
        guard let contentState else { throw .noContentState }
        guard
            let state = try? JSONValue(json: contentState.bytes),
            case .object(let members)? = try? state.merging(patch: JSONValue(json: patch.bytes)),
            let patched = try? RawJSONObject(members)
        else {
            let rule = "a content state and a patch that are JSON objects"
            throw .mismatch([InvalidValueError(field: "patch", rule: rule, value: "something else")])
        }
        return patched
    }

    /// Checks that APNs accepts a push with all values, as for a device that missed all changes.
    func checkSize(fixedBytes: Int) throws(ActivityError) {
        let stateBytes = self.contentState?.bytes.count ?? 0
        // Without an alert, a push has fewer than 512 bytes besides the content state.
        if self.alert == nil, fixedBytes.addingClamping(stateBytes).addingClamping(512) <= ActivityLimit.bytes {
            return
        }
        let pushBytes = self.payload(after: 0)?.size ?? 0
        let bytes = max(pushBytes, fixedBytes.addingClamping(stateBytes))
        guard bytes <= ActivityLimit.bytes else { throw .tooLarge(bytes: bytes) }
    }
}

// MARK: - Pushes

extension ActivityLifecycle {
    /// The push that updates a device: the latest content, or the end.
    ///
    /// `lastSentVersion` is 0 for a device that was sent nothing.
    ///
    /// - Returns: the push; it has the latest alert unless the device was sent that. `nil` if there is no content.
    public func payload(after lastSentVersion: Int) -> APNsPayload? {
        let alert = self.alert(after: lastSentVersion)?.alert
        let event: LiveActivityEvent
        if self.state.isOver {
            let end = LiveActivityEnd(
                timestamp: self.timestamp,
                contentState: self.contentState,
                alert: alert,
                dismissalDate: self.dismissalDate
            )
            event = .end(end)
        } else if let contentState {
            let update = LiveActivityUpdate(
                timestamp: self.timestamp,
                contentState: contentState,
                alert: alert,
                staleDate: self.staleDate,
                relevanceScore: self.relevanceScore
            )
            event = .update(update)
        } else {
            return nil
        }
        // Scores are finite: every change is validated.
        return try? APNsPayload(liveActivity: event)
    }

    /// The priority of that push: the higher one of its content and its alert.
    public func priority(after lastSentVersion: Int) -> Priority {
        max(self.priority, self.alert(after: lastSentVersion)?.priority ?? self.priority)
    }

    /// The latest alert, unless a device that was sent this version has shown it.
    private func alert(after lastSentVersion: Int) -> ActivityAlert? {
        self.alert.flatMap { $0.version > lastSentVersion ? $0 : nil }
    }
}

extension NotificationHeaders {
    /// The headers of pushes to a running activity: to devices, or to its channel with a policy.
    ///
    /// - Throws: if the app's ID is no topic.
    package init(
        activityOf app: AppID,
        priority: Priority,
        broadcast policy: MessageStoragePolicy?,
        until end: Date
    ) throws {
        // After that time, the activity is over on each device.
        let expiration = APNsExpiration(rawValue: end.secondsSince1970)
        guard let policy else {
            self.init(
                topic: try Topic(bundleID: app.rawValue, pushType: .liveactivity),
                pushType: .liveactivity,
                priority: priority,
                expiration: expiration
            )
            return
        }
        self.init(
            broadcastFor: try Topic(app.rawValue),
            priority: priority,
            // A channel that stores nothing accepts no other expiration.
            expiration: policy == .noMessage ? .once : expiration
        )
    }
}

extension Date {
    /// Seconds since 1970, rounded down: the unit of all times in a Live Activity push.
    public var secondsSince1970: Int64 {
        let milliseconds = self.millisecondsSince1970
        return milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0)
    }
}
