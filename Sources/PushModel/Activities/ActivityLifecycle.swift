// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation
public import JSONSchema

/// The state machine of a Live Activity: what phones show, and whether they still show anything.
///
/// A value with no clock and no store: a store loads it, applies one event and writes it back in one transaction. Only
/// the newest content is kept: a phone that missed something in between is sent what is new now.
public struct ActivityLifecycle: Hashable, Sendable {
    /// Where an activity stands.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// No phone shows it, as far as is known.
        ///
        /// Can transition to: `active` when an app started it or took a start, `ended`, `expired`.
        case pending

        /// Phones show it.
        ///
        /// Can transition to: `ended` by the caller, `expired` by its age.
        case active

        /// The caller ended it. Final.
        case ended

        /// The system ended it, on the last phone that started it 8 hours after that; or nobody joined it for 30 days. Final.
        case expired

        /// Whether phones ignore what comes from now on.
        public var isOver: Bool { self == .ended || self == .expired }
    }

    public internal(set) var state: State

    /// How often what phones show was changed; the content that it began with is version 1.
    public internal(set) var version: Int

    /// The `timestamp` of the newest content, in seconds since 1970: greater with every version.
    public internal(set) var timestamp: Int64

    /// The newest content state; `nil` when the app started it and none was ever given.
    public internal(set) var contentState: JSONFragment?

    /// When the newest content counts as out of date, in seconds since 1970.
    public internal(set) var staleDate: Int64?

    /// Which of an app's activities is shown first: the highest.
    public internal(set) var relevanceScore: Double?

    public internal(set) var priority: Priority
    public internal(set) var budget: PushBudget?
    public internal(set) var alert: ActivityAlert?

    /// When an ended activity leaves the Lock Screen, in seconds since 1970; `nil` leaves that to the system.
    public internal(set) var dismissalDate: Int64?

    /// When the first phone showed it.
    public internal(set) var startedAt: Date?

    /// When the system has ended it on every phone; `nil` while no phone shows it or was sent a start.
    public internal(set) var expiresAt: Date?

    public internal(set) var endedAt: Date?

    public init(
        state: State = .pending,
        version: Int = 1,
        timestamp: Int64,
        contentState: JSONFragment?,
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
    /// A phone shows the activity from a time on: an app started it, or took the push that starts it.
    ///
    /// Each phone shows it for 8 hours; an activity that is over stays so.
    public mutating func start(at time: Date) {
        guard !self.state.isOver else { return }
        self.state = .active
        self.startedAt = self.startedAt.map { min($0, time) } ?? time
        let end = time.addingTimeInterval(Double(ActivityLimit.runningSeconds))
        self.expiresAt = self.expiresAt.map { max($0, end) } ?? end
    }

    /// It is broadcast on a channel: any phone may show it from now on, for 8 hours from when it starts there, and nobody hears
    /// of it.
    ///
    /// So it does not expire by the phones that are known.
    mutating func bind(now: Date) {
        self.state = .active
        self.startedAt = now
    }

    /// Phones are sent a push that starts the activity at a time: they may take it for 8 hours, and show it for 8 more.
    public mutating func invite(at time: Date) {
        guard !self.state.isOver else { return }
        let end = time.addingTimeInterval(Double(2 * ActivityLimit.runningSeconds))
        self.expiresAt = self.expiresAt.map { max($0, end) } ?? end
    }

    /// When it is over if nothing happens to it: on no phone does it run then.
    ///
    /// `isPlanned` says whether changes of it are planned. An activity that no phone has shown waits for these.
    ///
    /// - Returns: the time; `nil` while it waits, or when it is over.
    public func end(isPlanned: Bool) -> Date? {
        if self.state.isOver { return nil }
        if let expiresAt { return expiresAt }
        if isPlanned { return nil }
        return Date(timeIntervalSince1970: Double(self.timestamp) + Double(ActivityLimit.idleSeconds))
    }

    /// Its 8 hours may be over on every phone, or nobody has joined it for very long.
    ///
    /// - Returns: whether it is over by this.
    public mutating func expire(isPlanned: Bool, now: Date) -> Bool {
        guard let end = self.end(isPlanned: isPlanned), end <= now else { return false }
        self.state = .expired
        self.endedAt = end
        return true
    }

    /// Carries out changes, one after the other and to phones as one.
    ///
    /// What several changes say of the same is as the last one says; the last alert counts, and the highest priority,
    /// and the strictest budget. `fixedBytes` is the size of the activity's attributes.
    /// - Returns: whether phones see anything of it: there is a new version then.
    /// - Throws: ``ActivityRefusal``; nothing changed then.
    public mutating func apply(
        _ changes: [ActivityChange],
        fixedBytes: Int,
        schema: JSONSchema? = nil,
        now: Date
    ) throws(ActivityRefusal) -> Bool {
        guard !self.state.isOver else { throw .over }
        let visible = changes.filter(\.isVisible)
        guard !visible.isEmpty else { return false }
        var changed = self
        changed.version = self.version.addingClamping(1)
        changed.timestamp = max(now.secondsSince1970, self.timestamp.addingClamping(1))
        changed.priority = visible.map(\.priority).max() ?? .immediate
        changed.budget = PushBudget.strictest(visible.compactMap(\.budget))
        for change in visible { try changed.apply(change, now: now) }
        // First, since what a schema costs grows with the value.
        try changed.checkSize(fixedBytes: fixedBytes)
        if let schema, let state = changed.contentState, visible.contains(where: { $0.contentState != nil }) {
            changed.contentState = try schema.checked(state, field: "contentState")
            try changed.checkSize(fixedBytes: fixedBytes)
        }
        self = changed
        return true
    }

    /// Makes sure that a change that is planned ahead will be one that phones decode, as far as that is known.
    ///
    /// - Throws: ``ActivityRefusal`` `.mismatch`.
    public func check(planned change: ActivityChange, schema: JSONSchema) throws(ActivityRefusal) {
        switch change.contentState {
        case nil: break
        case .replaced(let state): _ = try schema.checked(state, field: "contentState")
        case .patched(let patch):
            guard let contentState else { return }
            let faults = schema.faults(ofPatch: patch, to: contentState, field: "contentState")
            guard faults.isEmpty else { throw .mismatch(faults) }
        }
    }

    private mutating func apply(_ change: ActivityChange, now: Date) throws(ActivityRefusal) {
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
        // Whatever is said, the system takes it off by then.
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

    private func patched(by patch: JSONFragment) throws(ActivityRefusal) -> JSONFragment {
        guard let contentState else { throw .noContentState }
        guard
            let state = try? JSONValue(json: contentState.bytes),
            case .object(let members)? = try? state.merging(patch: JSONValue(json: patch.bytes)),
            let patched = try? JSONFragment(members)
        else {
            let rule = "a content state and a patch that are JSON objects"
            throw .mismatch([ValidationFailure(field: "patch", rule: rule, value: "something else")])
        }
        return patched
    }

    /// Makes sure that Apple takes what phones that missed everything would be sent.
    func checkSize(fixedBytes: Int) throws(ActivityRefusal) {
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
    /// The push that brings a phone up to date: the newest content, or the end.
    ///
    /// `sentVersion` is 0 for a phone that was sent nothing.
    ///
    /// - Returns: the push; it has the newest alert unless the phone was sent that. `nil` while there is no content.
    public func payload(after sentVersion: Int) -> APNsPayload? {
        let alert = self.alert(after: sentVersion)?.alert
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
        // Scores are finite: whatever changes one looks.
        return try? APNsPayload(liveActivity: event)
    }

    /// How eagerly that push is delivered: as its content and its alert ask, whichever asks for more.
    public func priority(after sentVersion: Int) -> Priority {
        max(self.priority, self.alert(after: sentVersion)?.priority ?? self.priority)
    }

    /// The newest alert, unless a phone that was sent a version has shown it.
    private func alert(after sentVersion: Int) -> ActivityAlert? {
        self.alert.flatMap { $0.version > sentVersion ? $0 : nil }
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
