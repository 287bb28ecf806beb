// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// A Live Activity as the world keeps it: a state machine that is told the time.
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
    /// The newest timestamp that was followed, in seconds since 1970.
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

    /// What starts an activity.
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

    /// The next time at which something happens by itself, in seconds since 1970.
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
        cause: ActivityIgnoreCause? = nil,
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
