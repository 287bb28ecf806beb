// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation

/// The maximum number of priority-10 pushes per device and activity in one hour, and the policy for pushes over it.
///
/// Apple counts them and publishes no number; pushes of priority 5 do not count. The limits here are Apus' estimate.
public struct PushBudget: Hashable, Sendable, Codable {
    /// The policy for a push of priority 10 to a device without budget for it.
    public enum Policy: String, Hashable, Sendable, Codable, CaseIterable {
        /// It is sent, and the response reports it.
        case warn

        /// It is sent with priority 5.
        case downgrade

        /// The whole change is rejected.
        case reject
    }

    /// The maximum numbers for one device.
    public struct Limits: Hashable, Sendable, Codable {
        public static let range = 1...65_535

        /// For a device whose app has not reported frequent updates.
        ///
        /// Default: 60. Range: `range`.
        public var hourly: Int

        /// For a device whose user allows frequent updates.
        ///
        /// Default: 3600. Range: `range`.
        public var frequentHourly: Int

        /// Creates limits; numbers outside of ``range`` are limited to it.
        public init(hourly: Int = 60, frequentHourly: Int = 3600) {
            self.hourly = min(max(hourly, Self.range.lowerBound), Self.range.upperBound)
            self.frequentHourly = min(max(frequentHourly, Self.range.lowerBound), Self.range.upperBound)
        }
    }

    public var policy: Policy
    public var limits: Limits

    public init(policy: Policy = .warn, limits: Limits = Limits()) {
        self.policy = policy
        self.limits = limits
    }

    /// The maximum number of priority-10 pushes to a device in one hour.
    public func limit(frequentUpdates: Bool?) -> Int {
        let limit = frequentUpdates == true ? self.limits.frequentHourly : self.limits.hourly
        return min(max(limit, Limits.range.lowerBound), Limits.range.upperBound)
    }

    /// The one that takes the most care of the budget.
    static func strictest(_ budgets: [PushBudget]) -> PushBudget? {
        budgets.max { Self.care($0.policy) < Self.care($1.policy) }
    }

    private static func care(_ policy: Policy) -> Int { Policy.allCases.firstIndex(of: policy) ?? 0 }
}

/// The budget that a change uses.
public struct BudgetImpact: Hashable, Sendable {
    /// How many pushes of priority 10 it takes.
    public private(set) var pushes = 0

    /// The number of devices without budget for it.
    public private(set) var overBudget = 0

    /// How many of these are sent one of priority 5 instead.
    public private(set) var downgraded = 0

    /// The maximum number of priority-10 pushes that one of the devices was sent in the last hour, before this change.
    public private(set) var used = 0

    /// The minimum number of pushes left for one of the devices in this hour, after this change; `nil` without devices.
    public private(set) var remaining: Int?

    /// When the last of those that have no room has some again; `nil` where all have.
    public private(set) var availableAt: Date?

    public init() {}

    /// Counts a push of priority 10 to a device, or of priority 5 if it has no budget and the policy downgrades it.
    ///
    /// - Returns: whether the push has priority 10.
    public mutating func add(_ phone: ActivityParticipant, of budget: PushBudget, now: Date) -> Bool {
        let limit = budget.limit(frequentUpdates: phone.frequentUpdates)
        let used = phone.recent.count(now: now)
        self.used = max(self.used, used)
        let isDowngraded: Bool
        if let room = phone.recent.room(limit: limit, now: now) {
            self.overBudget += 1
            self.availableAt = self.availableAt.map { max($0, room) } ?? room
            isDowngraded = budget.policy == .downgrade
        } else {
            isDowngraded = false
        }
        if isDowngraded { self.downgraded += 1 } else { self.pushes += 1 }
        let left = max(0, limit - used - (isDowngraded ? 0 : 1))
        self.remaining = self.remaining.map { min($0, left) } ?? left
        return !isDowngraded
    }

    /// Why a change is refused that would cost this; `nil` where the policy allows it.
    public func refusal(_ policy: PushBudget.Policy) -> ActivityError? {
        guard policy == .reject, let availableAt else { return nil }
        return .overBudget(devices: self.overBudget, used: self.used, availableAt: availableAt)
    }
}

/// The number of recent priority-10 pushes to a device, counted in spans of four minutes.
///
/// A pure value of fixed size: the spans of the last hour and the current one, so that it covers 60 to 64 minutes and
/// never counts fewer pushes than in the last hour.
public struct HourlyPushCounter: Hashable, Sendable {
    public static let spanSeconds: Int64 = 240
    private static let spans = 16

    /// The latest span, in spans since 1970.
    private var newest: Int64 = 0

    /// The number of pushes in each span, the latest first.
    private var counts: SIMD16<UInt16> = .zero

    public init() {}

    /// How many there were within the last hour; up to four minutes more are counted.
    public func count(now: Date) -> Int {
        let age = self.age(now)
        return (0..<Self.spans).reduce(0) { sum, span in
            age < Int64(Self.spans - span) ? sum + Int(self.counts[span]) : sum
        }
    }

    public mutating func add(now: Date) {
        let age = self.age(now)
        if age > 0 {
            var moved: SIMD16<UInt16> = .zero
            if age < Int64(Self.spans) {
                for span in Int(age)..<Self.spans { moved[span] = self.counts[span - Int(age)] }
            }
            self.counts = moved
            self.newest += age
        }
        if self.counts[0] < .max { self.counts[0] += 1 }
    }

    /// When there is room for one more; `nil` when there is room now.
    ///
    /// `limit` is the maximum within an hour, 1 or more.
    public func room(limit: Int, now: Date) -> Date? {
        var count = self.count(now: now)
        if count < limit { return nil }
        let age = self.age(now)
        for span in (0..<Self.spans).reversed() where age < Int64(Self.spans - span) {
            count -= Int(self.counts[span])
            guard count < limit else { continue }
            // A span counts until as many have begun after it.
            let end = self.newest.addingClamping(Int64(Self.spans - span))
            return Date(timeIntervalSince1970: Double(end) * Double(Self.spanSeconds))
        }
        return nil
    }

    /// The number of spans since the latest one; 0 if the clock was set back.
    private func age(_ now: Date) -> Int64 {
        let span = Int64(clamping: (now.timeIntervalSince1970 / Double(Self.spanSeconds)).rounded(.down))
        return max(0, span.subtractingClamping(self.newest))
    }
}

// MARK: - Bytes

extension HourlyPushCounter {
    /// The stored form: the latest span in 32 bits, and each count in 16, the latest first and without the zeros at the
    /// end; `nil` if there were no pushes.
    public var bytes: [UInt8]? {
        guard let last = (0..<Self.spans).last(where: { self.counts[$0] > 0 }) else { return nil }
        var bytes = stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self.newest >> Int64($0)) }
        for span in 0...last {
            bytes += [UInt8(truncatingIfNeeded: self.counts[span] >> 8), UInt8(truncatingIfNeeded: self.counts[span])]
        }
        return bytes
    }

    /// Reads the result of ``bytes``; `nil` for anything else.
    public init?(bytes: [UInt8]?) {
        self.init()
        guard let bytes else { return }
        guard bytes.count >= 6, bytes.count <= 4 + 2 * Self.spans, bytes.count.isMultiple(of: 2) else { return nil }
        self.newest = bytes.prefix(4).reduce(0) { $0 << 8 | Int64($1) }
        for span in 0..<(bytes.count - 4) / 2 {
            self.counts[span] = UInt16(bytes[4 + 2 * span]) << 8 | UInt16(bytes[5 + 2 * span])
        }
    }
}
