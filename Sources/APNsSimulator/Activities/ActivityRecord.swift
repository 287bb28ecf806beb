// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
public import Foundation
#endif

/// The state of a Live Activity in the world: a pure state machine; the caller passes the time.
struct ActivityRecord: Codable, Sendable {
    /// How long an activity is active before the system ends it: 8 hours.
    ///
    /// Unit: seconds.
    static let maximumActive: Double = 8 * 3600
    /// How long it stays on the Lock Screen after that: 4 hours.
    ///
    /// Unit: seconds.
    static let maximumAfterEnd: Double = 4 * 3600
    /// How many bytes attributes and content state may have together.
    static let maximumBytes = 4096
    /// How many entries of the timeline are kept; older ones are counted only.
    private static let maximumEntries = 1000

    let id: ActivityID
    let device: VirtualDeviceID
    let bundleID: String
    let attributesType: String
    let attributes: JSONValue
    let pushType: ActivityPushType
    var state: ActivityState
    var contentState: JSONValue
    /// Seconds since 1970.
    var staleAt: Double?
    var relevanceScore: Double
    /// The latest timestamp that was applied, in seconds since 1970.
    var timestamp: Double?
    /// When a pending one starts, and since when an active one is; seconds since 1970.
    var startsAt: Double
    var endedAt: Double?
    /// When an ended one leaves the Lock Screen, in seconds since 1970.
    var dismissesAt: Double?
    var token = ActivityToken()
    /// The push that is beyond the budget.
    var postponed: Postponed?
    private(set) var timeline: [ActivityTimelineEntry] = []
    private(set) var droppedEntries = 0

    /// A push that waits for budget.
    struct Postponed: Codable, Sendable {
        var push: ActivityPush
        var origin: ActivityTimelineEntry.Origin
        var apnsID: APNsID?
        /// Seconds since 1970.
        var until: Double
        /// The budget that it is beyond.
        var hourly: Int
    }

    /// The parameters of a start.
    struct Request: Sendable {
        var bundleID: String
        var attributesType: String
        var attributes: JSONValue
        var contentState: JSONValue
        /// Seconds since 1970.
        var staleAt: Double?
        var relevanceScore: Double = 0
        var pushType: ActivityPushType
    }

    init(_ request: Request, id: ActivityID, device: VirtualDeviceID, startsAt: Double, state: ActivityState) {
        self.id = id
        self.device = device
        self.bundleID = request.bundleID
        self.attributesType = request.attributesType
        self.attributes = request.attributes
        self.contentState = request.contentState
        self.staleAt = request.staleAt
        self.relevanceScore = request.relevanceScore
        self.pushType = request.pushType
        self.startsAt = startsAt
        self.state = state
    }

    /// The time of the next automatic transition, in seconds since 1970.
    var nextDue: Double? {
        var due: [Double] = self.token.nextDue.map { [$0] } ?? []
        switch self.state {
        case .pending: due.append(self.startsAt)
        case .active:
            due.append(self.startsAt + Self.maximumActive)
            if let staleAt = self.staleAt { due.append(staleAt) }
        case .stale: due.append(self.startsAt + Self.maximumActive)
        case .ended: if let dismissesAt = self.dismissesAt { due.append(dismissesAt) }
        case .dismissed: break
        }
        if self.state.isRunning, let postponed = self.postponed { due.append(postponed.until) }
        return due.min()
    }

    /// Keeps an entry and says it to those who watch.
    mutating func note(
        _ change: ActivityTimelineEntry.Change,
        _ origin: ActivityTimelineEntry.Origin,
        at now: Double,
        cause: ActivityIgnoreReason? = nil,
        detail: String? = nil,
        apnsID: APNsID? = nil,
        to effects: inout [ActivityEffect]
    ) {
        let entry = ActivityTimelineEntry(
            change,
            origin,
            at: now,
            state: self.state,
            cause: cause,
            detail: detail,
            apnsID: apnsID
        )
        self.timeline.append(entry)
        if self.timeline.count > Self.maximumEntries {
            self.timeline.removeFirst()
            self.droppedEntries += 1
        }
        effects.append(
            .record(
                ActivityLogEntry(device: self.device, bundleID: self.bundleID, activity: self.id, entry: entry)
            )
        )
    }
}

/// New content, and the end.
extension ActivityRecord {
    /// The content of an update or an end, from a push or from the app.
    struct Content: Sendable {
        var contentState: JSONValue?
        /// Seconds since 1970.
        var staleAt: Double?
        var relevanceScore: Double?
        /// Seconds since 1970; `nil` is now.
        var timestamp: Double?
    }

    /// Follows an update or an end that was checked.
    mutating func follow(
        _ push: ActivityPush,
        origin: ActivityTimelineEntry.Origin,
        hints: [String],
        apnsID: APNsID?,
        switches: ActivityOptions,
        now: Double,
        to effects: inout [ActivityEffect]
    ) {
        let content = Content(
            contentState: push.contentState,
            staleAt: push.staleAt,
            relevanceScore: push.relevanceScore,
            timestamp: push.timestamp
        )
        let alert = push.hasAlert ? ["shown with an alert"] : []
        guard push.event == .end else {
            self.update(content, origin, details: alert + hints, apnsID: apnsID, now: now, to: &effects)
            return
        }
        let dismissal =
            push.dismissAt.map { ActivityDismissalPolicy.after(.init(timeIntervalSince1970: $0)) } ?? .default
        self.end(
            content,
            origin,
            dismissal: dismissal,
            details: alert + hints,
            apnsID: apnsID,
            switches: switches,
            now: now,
            to: &effects
        )
    }

    mutating func update(
        _ content: Content,
        _ origin: ActivityTimelineEntry.Origin,
        details: [String] = [],
        apnsID: APNsID? = nil,
        now: Double,
        to effects: inout [ActivityEffect]
    ) {
        self.dropPostponed(now: now, to: &effects)
        self.show(content, now: now)
        if self.state == .stale { self.state = .active }
        self.note(.updated, origin, at: now, detail: Self.joined(details), apnsID: apnsID, to: &effects)
        self.becomeStaleIfDue(now: now, to: &effects)
    }

    /// Ends the activity with final content, and dismisses it when the policy says.
    mutating func end(
        _ content: Content?,
        _ origin: ActivityTimelineEntry.Origin,
        dismissal: ActivityDismissalPolicy,
        details: [String] = [],
        apnsID: APNsID? = nil,
        switches: ActivityOptions,
        now: Double,
        to effects: inout [ActivityEffect]
    ) {
        var details = details
        if let content {
            // An end is applied regardless of its timestamp; content older than the current content is not.
            if let newest = self.timestamp, let timestamp = content.timestamp, timestamp < newest {
                details.append("its content is older than the current content")
            } else {
                self.show(content, now: now)
            }
        }
        self.dropPostponed(now: now, to: &effects)
        self.state = .ended
        self.endedAt = now
        let dismissesAt = dismissal.date(endedAt: now)
        self.dismissesAt = dismissesAt
        self.note(.ended, origin, at: now, detail: Self.joined(details), apnsID: apnsID, to: &effects)
        if case .channel(let channel) = self.pushType { effects.append(.unsubscribe(self.id, channel: channel)) }
        if switches.tokenEndsWith == .end { self.endToken(switches, now: now, to: &effects) }
        if dismissesAt <= now { self.dismiss(origin, switches: switches, now: now, to: &effects) }
    }

    /// Takes the activity off the Lock Screen; one that still runs is ended first.
    mutating func dismiss(
        _ origin: ActivityTimelineEntry.Origin,
        switches: ActivityOptions,
        now: Double,
        to effects: inout [ActivityEffect]
    ) {
        if self.state.isRunning {
            self.end(nil, origin, dismissal: .immediate, switches: switches, now: now, to: &effects)
            return
        }
        guard self.state == .ended else { return }
        self.state = .dismissed
        self.dismissesAt = now
        self.note(.dismissed, origin, at: now, to: &effects)
        if switches.tokenEndsWith == .dismissal { self.endToken(switches, now: now, to: &effects) }
    }

    /// Marks the content as out of date, once its time has come.
    mutating func becomeStaleIfDue(now: Double, to effects: inout [ActivityEffect]) {
        guard self.state == .active, let staleAt = self.staleAt, staleAt <= now else { return }
        self.state = .stale
        self.note(.becameStale, .system, at: now, to: &effects)
    }

    /// Forgets the push that waits for budget: something newer came.
    mutating func dropPostponed(now: Double, to effects: inout [ActivityEffect]) {
        guard let older = self.postponed else { return }
        self.postponed = nil
        self.note(
            .ignored,
            older.origin,
            at: now,
            cause: .superseded,
            detail: "replaced by a later push while it was over the budget",
            apnsID: older.apnsID,
            to: &effects
        )
    }

    private mutating func show(_ content: Content, now: Double) {
        if let contentState = content.contentState {
            self.contentState = contentState
            self.staleAt = content.staleAt
        }
        if let relevanceScore = content.relevanceScore { self.relevanceScore = relevanceScore }
        self.timestamp = max(self.timestamp ?? -.infinity, content.timestamp ?? now)
    }

    private static func joined(_ details: [String]) -> String? {
        details.isEmpty ? nil : details.joined(separator: "; ")
    }
}

/// A timeline entry with its activity, device and app.
public struct ActivityLogEntry: Sendable, Hashable, Codable {
    /// The device.
    public var device: VirtualDeviceID
    /// The app.
    public var bundleID: String
    /// The activity; `nil` for a push that started none.
    public var activity: ActivityID?
    /// The entry.
    public var entry: ActivityTimelineEntry
}
