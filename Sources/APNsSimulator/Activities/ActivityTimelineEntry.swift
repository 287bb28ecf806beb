// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One thing that happened to a Live Activity, or did not happen, with the reason.
public struct ActivityTimelineEntry: Sendable, Hashable, Codable {
    /// The types of entries.
    public enum Change: String, Sendable, Hashable, Codable, CaseIterable {
        /// It was requested for a later time.
        case scheduled
        /// It was started.
        case started
        /// It has new content.
        case updated
        /// Its stale date has passed.
        case becameStale
        /// It ended; updates have no effect now.
        case ended
        /// It is gone from the Lock Screen.
        case dismissed
        /// A push was accepted by APNs and changed nothing; ``ActivityTimelineEntry/cause`` says why.
        case ignored
        /// A push is beyond the budget and waits.
        case postponed
        /// Its update token came.
        case tokenIssued
        /// Its update token requires the user's Allow.
        case tokenWithheld
        /// The response for its update token is 410 from now on.
        case tokenEnded
        /// It takes the broadcasts of a channel.
        case subscribed
    }

    /// Who caused it.
    public enum Origin: String, Sendable, Hashable, Codable, CaseIterable {
        /// The app, through ActivityKit.
        case app
        /// A push to a token.
        case push
        /// A broadcast on a channel.
        case broadcast
        /// The user.
        case person
        /// The system.
        case system
    }

    /// When it happened.
    public var at: Date
    /// The type of the entry.
    public var change: Change
    /// Who caused it.
    public var origin: Origin
    /// The state of the activity after the change; `nil` if there is no activity.
    public var state: ActivityState?
    /// Why nothing changed; only with ``Change/ignored``.
    public var cause: ActivityIgnoreReason?
    /// Details for human readers.
    public var detail: String?
    /// The identity of the push that caused it.
    public var apnsID: APNsID?

    init(
        _ change: Change,
        _ origin: Origin,
        at now: Double,
        state: ActivityState? = nil,
        cause: ActivityIgnoreReason? = nil,
        detail: String? = nil,
        apnsID: APNsID? = nil
    ) {
        self.at = Date(timeIntervalSince1970: now)
        self.change = change
        self.origin = origin
        self.state = state
        self.cause = cause
        self.detail = detail
        self.apnsID = apnsID
    }
}
