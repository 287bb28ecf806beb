// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A change of an activity that is planned ahead.
public struct ActivityTransition: Hashable, Sendable {
    /// Where a transition stands.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// It waits for its time, or for the instant to which it is relative.
        ///
        /// Can transition to: `done`, `skipped`, `withdrawn`.
        case planned

        /// It was carried out. Final.
        case done

        /// It was left out: it was missed, the activity was over, or the change was refused. Final.
        case skipped

        /// The caller took it back. Final.
        case withdrawn
    }

    /// Names it within its activity.
    public let key: TransitionKey

    /// When it is to happen.
    public let time: TransitionTime

    /// What is to change.
    public let change: ActivityChange

    /// What becomes of it when nobody carried it out on time.
    public let misfire: MisfirePolicy

    /// Where it stands.
    public internal(set) var state: State

    /// When it is due, or was; `nil` while the instant to which it is relative is not known.
    public internal(set) var dueAt: Date?

    /// When it came to be due then: when it was planned, or was last moved.
    ///
    /// What is moved to a time that has passed is not late by that.
    public internal(set) var plannedAt: Date

    /// When it came to its end; `nil` while it is planned.
    public internal(set) var endedAt: Date?

    /// Whether what was planned could be read; if not, `time` and `change` say nothing, and it is left out.
    public let isReadable: Bool

    /// Restores a transition from its parts.
    ///
    /// - Parameters:
    ///   - key: its name within the activity.
    ///   - time: when it is to happen.
    ///   - change: what is to change.
    ///   - misfire: what becomes of it when nobody carried it out on time.
    ///   - state: where it stands.
    ///   - dueAt: when it is due, or `nil`.
    ///   - plannedAt: when it came to be due then.
    ///   - endedAt: when it came to its end, or `nil`.
    ///   - isReadable: whether what was planned could be read.
    public init(
        key: TransitionKey,
        time: TransitionTime,
        change: ActivityChange,
        misfire: MisfirePolicy = .fold,
        state: State = .planned,
        dueAt: Date?,
        plannedAt: Date,
        endedAt: Date? = nil,
        isReadable: Bool = true
    ) {
        self.key = key
        self.time = time
        self.change = change
        self.misfire = misfire
        self.state = state
        self.dueAt = dueAt
        self.plannedAt = plannedAt
        self.endedAt = endedAt
        self.isReadable = isReadable
    }

    /// Makes a transition that is planned.
    ///
    /// - Parameters:
    ///   - plan: what is planned.
    ///   - instants: the activity's instants.
    ///   - now: when it is planned; kept to the millisecond.
    public init(_ plan: TransitionPlan, instants: [InstantName: Date], now: Date) {
        self.init(
            key: plan.key,
            time: plan.time,
            change: plan.change,
            misfire: plan.misfire,
            dueAt: plan.time.date(in: instants),
            plannedAt: now
        )
    }

    /// What is planned.
    public var plan: TransitionPlan {
        TransitionPlan(key: self.key, time: self.time, change: self.change, misfire: self.misfire)
    }

    /// The activity's instants may have moved.
    ///
    /// - Returns: whether it is due at another time by that; what has come to its end stays.
    public mutating func move(to instants: [InstantName: Date], now: Date) -> Bool {
        let date = self.time.date(in: instants)
        guard self.state == .planned, self.isReadable, date != self.dueAt else { return false }
        self.dueAt = date
        self.plannedAt = now
        return true
    }

    /// It comes to its end, unless it has before.
    public mutating func finish(as state: State, now: Date) {
        guard self.state == .planned else { return }
        self.state = state
        self.endedAt = now
    }

    /// How many seconds after its time it is, or after it was moved there.
    func lateness(now: Date) -> Double {
        guard let dueAt else { return 0 }
        return now.timeIntervalSince(max(dueAt, self.plannedAt))
    }
}

/// A transition that is to be planned.
public struct TransitionPlan: Hashable, Sendable {
    /// Names it within its activity; one of that name that is still planned is replaced.
    public var key: TransitionKey

    /// When it is to happen.
    public var time: TransitionTime

    /// What is to change; its instants are not looked at.
    public var change: ActivityChange

    /// What becomes of it when nobody carried it out on time.
    public var misfire: MisfirePolicy

    /// Describes a transition.
    ///
    /// - Parameters:
    ///   - key: its name within the activity.
    ///   - time: when it is to happen.
    ///   - change: what is to change.
    ///   - misfire: what becomes of it when nobody carried it out on time.
    public init(key: TransitionKey, time: TransitionTime, change: ActivityChange, misfire: MisfirePolicy = .fold) {
        self.key = key
        self.time = time
        self.change = change
        self.misfire = misfire
    }
}
