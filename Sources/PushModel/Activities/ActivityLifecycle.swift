// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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

    /// Where the activity stands.
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

    /// How eagerly the newest content is delivered.
    public internal(set) var priority: Priority

    /// How many pushes of priority 10 phones may be sent with the newest content, and what becomes of those beyond.
    public internal(set) var budget: PushBudget?

    /// The newest alert; `nil` when there was none.
    public internal(set) var alert: ActivityAlert?

    /// When an ended activity leaves the Lock Screen, in seconds since 1970; `nil` leaves that to the system.
    public internal(set) var dismissalDate: Int64?

    /// When the first phone showed it.
    public internal(set) var startedAt: Date?

    /// When the system has ended it on every phone; `nil` while no phone shows it or was sent a start.
    public internal(set) var expiresAt: Date?

    /// When it was over.
    public internal(set) var endedAt: Date?

    /// Restores a lifecycle from its parts, or begins one.
    ///
    /// - Parameters:
    ///   - state: where the activity stands; `pending` for a new one.
    ///   - version: how often what phones show was changed.
    ///   - timestamp: the `timestamp` of the newest content, in seconds since 1970.
    ///   - contentState: the newest content state, or `nil`.
    ///   - staleDate: when it counts as out of date, in seconds since 1970.
    ///   - relevanceScore: which activity is shown first.
    ///   - priority: how eagerly the newest content is delivered.
    ///   - budget: how many pushes of priority 10 phones may be sent with it, or `nil`.
    ///   - alert: the newest alert, or `nil`.
    ///   - dismissalDate: when it leaves the Lock Screen, in seconds since 1970.
    ///   - startedAt: when the first phone showed it.
    ///   - expiresAt: when the system ends it on the last phone.
    ///   - endedAt: when it was over.
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
