// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How many pushes of priority 10 a phone may be sent of an activity within an hour, and what becomes of those beyond.
///
/// Apple counts them and publishes no number; pushes of priority 5 are not counted. The numbers here are a guard of our own.
public struct PushBudget: Hashable, Sendable, Codable {
    /// What becomes of a push of priority 10 to a phone that has no room for it.
    public enum Policy: String, Hashable, Sendable, Codable, CaseIterable {
        /// It is sent, and the answer tells of it.
        case warn

        /// It is sent with priority 5.
        case lower

        /// The whole change is refused.
        case refuse
    }

    /// How many a phone may be sent.
    public struct Limits: Hashable, Sendable, Codable {
        /// What a limit may be.
        public static let range = 1...65_535

        /// To a phone whose app has not told that it may have frequent updates.
        ///
        /// Default: 60. Range: `range`.
        public var hourly: Int

        /// To a phone on which the person lets the app have frequent updates.
        ///
        /// Default: 3600. Range: `range`.
        public var frequentHourly: Int

        /// Sets what is given, and the documented defaults for the rest; numbers outside of ``range`` are brought into it.
        public init(hourly: Int = 60, frequentHourly: Int = 3600) {
            self.hourly = min(max(hourly, Self.range.lowerBound), Self.range.upperBound)
            self.frequentHourly = min(max(frequentHourly, Self.range.lowerBound), Self.range.upperBound)
        }
    }

    /// What becomes of a push beyond the limit.
    public var policy: Policy

    /// How many there may be.
    public var limits: Limits

    /// Takes a policy and limits; warns by default.
    public init(policy: Policy = .warn, limits: Limits = Limits()) {
        self.policy = policy
        self.limits = limits
    }

    /// How many pushes of priority 10 a phone may be sent within an hour.
    ///
    /// - Parameter frequentUpdates: whether the person lets the app have frequent updates, as far as that is known.
    /// - Returns: the limit.
    public func limit(frequentUpdates: Bool?) -> Int {
        frequentUpdates == true ? self.limits.frequentHourly : self.limits.hourly
    }

    /// The one that takes the most care of the budget.
    static func strictest(_ budgets: [PushBudget]) -> PushBudget? {
        budgets.max { Self.care($0.policy) < Self.care($1.policy) }
    }

    private static func care(_ policy: Policy) -> Int { Policy.allCases.firstIndex(of: policy) ?? 0 }
}
