// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// New content, and the end.
extension ActivityRecord {
    /// What an update or an end brings; from a push or from the app.
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
        switches: ActivitySwitches,
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
        let dismissal = push.dismissAt.map { ActivityDismissal.after(.init(timeIntervalSince1970: $0)) } ?? .default
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

    /// Shows new content.
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
        dismissal: ActivityDismissal,
        details: [String] = [],
        apnsID: APNsID? = nil,
        switches: ActivitySwitches,
        now: Double,
        to effects: inout [ActivityEffect]
    ) {
        var details = details
        if let content {
            // An end is followed however old it is; content that is older than what is shown is not.
            if let newest = self.timestamp, let timestamp = content.timestamp, timestamp < newest {
                details.append("its content is older than what is shown")
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
        switches: ActivitySwitches,
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
            detail: "something newer came while it waited for the budget",
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
