// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation

/// A scheduled change of an activity.
public struct ActivityTransition: Hashable, Sendable {
    /// The state of a transition.
    public enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// It waits for its time, or for the instant to which it is relative.
        ///
        /// Can transition to: `completed`, `skipped`, `cancelled`.
        case scheduled

        /// It was executed. Final.
        case completed

        /// It was missed, the activity was over, or the change was rejected. Final.
        case skipped

        /// The caller cancelled it. Final.
        case cancelled
    }

    public let key: TransitionKey
    public let time: TransitionTime
    public let change: ActivityChange
    public let misfire: TransitionMisfirePolicy
    public internal(set) var state: State

    /// When it is due, or was; `nil` while the instant to which it is relative is not known.
    public internal(set) var dueAt: Date?

    /// When its due time was set: when it was scheduled, or last moved.
    ///
    /// A transition that is moved to a past time is not late because of that.
    public internal(set) var scheduledAt: Date

    /// When it was completed; `nil` while it is scheduled.
    public internal(set) var endedAt: Date?

    /// Whether the stored transition can be decoded; if not, `time` and `change` have no meaning, and it is skipped.
    public let isReadable: Bool

    public init(
        key: TransitionKey,
        time: TransitionTime,
        change: ActivityChange,
        misfire: TransitionMisfirePolicy = .coalesce,
        state: State = .scheduled,
        dueAt: Date?,
        scheduledAt: Date,
        endedAt: Date? = nil,
        isReadable: Bool = true
    ) {
        self.key = key
        self.time = time
        self.change = change
        self.misfire = misfire
        self.state = state
        self.dueAt = dueAt
        self.scheduledAt = scheduledAt
        self.endedAt = endedAt
        self.isReadable = isReadable
    }

    /// Creates a scheduled transition; `now` is kept to the millisecond.
    public init(_ plan: NewTransition, instants: [InstantName: Date], now: Date) {
        self.init(
            key: plan.key,
            time: plan.time,
            change: plan.change,
            misfire: plan.misfire,
            dueAt: plan.time.date(in: instants),
            scheduledAt: now
        )
    }

    public var plan: NewTransition {
        NewTransition(key: self.key, time: self.time, change: self.change, misfire: self.misfire)
    }

    /// Moves it with the instants of the activity.
    ///
    /// - Returns: whether its due time changed; a completed transition does not move.
    public mutating func move(to instants: [InstantName: Date], now: Date) -> Bool {
        let date = self.time.date(in: instants)
        guard self.state == .scheduled, self.isReadable, date != self.dueAt else { return false }
        self.dueAt = date
        self.scheduledAt = now
        return true
    }

    /// Completes it, unless it is completed already.
    public mutating func finish(as state: State, now: Date) {
        guard self.state == .scheduled else { return }
        self.state = state
        self.endedAt = now
    }

    /// How many seconds after its time it is, or after it was moved there.
    func lateness(now: Date) -> Double {
        guard let dueAt else { return 0 }
        return now.timeIntervalSince(max(dueAt, self.scheduledAt))
    }
}

/// A transition that is to be scheduled.
public struct NewTransition: Hashable, Sendable {
    /// Names it within its activity; one of that name that is still scheduled is replaced.
    public var key: TransitionKey

    public var time: TransitionTime

    /// The change; its instants are ignored.
    public var change: ActivityChange

    public var misfire: TransitionMisfirePolicy

    public init(
        key: TransitionKey,
        time: TransitionTime,
        change: ActivityChange,
        misfire: TransitionMisfirePolicy = .coalesce
    ) {
        self.key = key
        self.time = time
        self.change = change
        self.misfire = misfire
    }
}

/// When a transition is to happen.
public enum TransitionTime: Hashable, Sendable {
    case at(Date)

    /// This number of seconds after a named instant of the activity's data; a negative number is before it.
    ///
    /// It moves with the instant, and waits while there is no instant of that name.
    case relative(to: InstantName, seconds: Int)

    /// When that is, by an activity's instants; `nil` when the instant is not known.
    public func date(in instants: [InstantName: Date]) -> Date? {
        switch self {
        case .at(let date): date
        case .relative(let name, let seconds): instants[name]?.addingTimeInterval(Double(seconds))
        }
    }
}

/// The name of a scheduled transition of an activity, chosen by the caller: scheduling it again replaces it.
public struct TransitionKey: TextIdentifier {
    public static let field = "transition"
    public static let rule = "1 to 64 bytes of UTF-8 without control characters"
    public let rawValue: String

    public init(unchecked text: String) {
        self.rawValue = text
    }

    public static func isValid(_ text: String) -> Bool {
        text.isPlain(bytes: 1...64)
    }
}

/// The policy for a transition that was not executed on time, because no scheduler ran.
public enum TransitionMisfirePolicy: Hashable, Sendable {
    /// It is executed separately, unless it is more than this number of seconds late.
    case runLate(within: Int)

    case skip

    /// It is combined with the next due transition into one change: devices receive only the latest state.
    case coalesce

    /// How many seconds late a transition may be and still counts as on time.
    public static let toleranceSeconds = 60

    /// Whether a transition that is this number of seconds late is skipped.
    func leavesOut(_ lateness: Double) -> Bool {
        switch self {
        case .runLate(let limit): lateness > Double(max(limit, Self.toleranceSeconds))
        case .skip: lateness > Double(Self.toleranceSeconds)
        case .coalesce: false
        }
    }

    /// Whether a transition that is this number of seconds late is combined with the next one.
    func coalesces(_ lateness: Double) -> Bool { self == .coalesce && lateness > Double(Self.toleranceSeconds) }
}
