// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What is to change about an activity; what is not named stays as it is.
public struct ActivityChange: Hashable, Sendable, Codable {
    /// What is to become of the content state.
    public enum ContentState: Hashable, Sendable, Codable {
        /// This is the state now, byte for byte.
        case replaced(JSONFragment)

        /// The state is changed by a merge patch (RFC 7396): named members change, `null` removes one.
        case patched(JSONFragment)
    }

    /// When the content counts as out of date.
    public enum StaleDate: Hashable, Sendable, Codable {
        /// Never.
        case never

        /// At that time.
        case at(Date)

        /// So many seconds after the change.
        case after(seconds: Int)
    }

    /// When an ended activity leaves the Lock Screen.
    public enum Dismissal: Hashable, Sendable, Codable {
        /// When the system likes, within 4 hours.
        case standard

        /// At once.
        case immediate

        /// At that time, or 4 hours after the end if that is earlier: the system does it by then.
        case at(Date)

        /// So many seconds after the end, at most 4 hours.
        case after(seconds: Int)
    }

    /// The new content state; `nil` keeps it.
    public var contentState: ContentState?

    /// What phones show and sound with it; `nil` changes the activity without an alert.
    public var alert: LiveActivityAlert?

    /// When the content counts as out of date; `nil` keeps what was said before.
    public var staleDate: StaleDate?

    /// Which of an app's activities is shown first: the highest; `nil` keeps what was said before.
    public var relevanceScore: Double?

    /// `immediate` counts towards Apple's hourly budget, `powerConsiderate` does not.
    public var priority: Priority

    /// How many pushes of priority 10 phones may be sent, and what becomes of those beyond; `nil` warns at the default limits.
    public var budget: PushBudget?

    /// Ends the activity, with the content state as it is by then.
    public var end: Dismissal?

    /// Named instants of the activity's data that are new or have moved; `nil` forgets one.
    public var instants: [InstantName: Date?]

    /// Describes a change; by default nothing changes.
    ///
    /// - Parameters:
    ///   - contentState: the new content state, or `nil`.
    ///   - alert: what phones show and sound with it, or `nil`.
    ///   - staleDate: when the content counts as out of date, or `nil`.
    ///   - relevanceScore: which activity is shown first, or `nil`.
    ///   - priority: how eagerly it is delivered.
    ///   - budget: how many pushes of priority 10 phones may be sent, or `nil`.
    ///   - end: when the activity leaves the Lock Screen, if it is to end.
    ///   - instants: named instants that are new, have moved, or are to be forgotten.
    public init(
        contentState: ContentState? = nil,
        alert: LiveActivityAlert? = nil,
        staleDate: StaleDate? = nil,
        relevanceScore: Double? = nil,
        priority: Priority = .immediate,
        budget: PushBudget? = nil,
        end: Dismissal? = nil,
        instants: [InstantName: Date?] = [:]
    ) {
        self.contentState = contentState
        self.alert = alert
        self.staleDate = staleDate
        self.relevanceScore = relevanceScore
        self.priority = priority
        self.budget = budget
        self.end = end
        self.instants = instants
    }

    /// Whether phones would see anything of it; a change of instants alone is not sent.
    public var isVisible: Bool {
        self.contentState != nil || self.alert != nil || self.staleDate != nil || self.relevanceScore != nil
            || self.end != nil
    }
}
