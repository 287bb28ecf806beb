// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a change costs phones of their budgets.
public struct BudgetCost: Hashable, Sendable {
    /// How many pushes of priority 10 it takes.
    public private(set) var pushes = 0

    /// How many phones have no room for one.
    public private(set) var over = 0

    /// How many of these are sent one of priority 5 instead.
    public private(set) var lowered = 0

    /// The most pushes of priority 10 that one of the phones was sent within the last hour, before this.
    public private(set) var used = 0

    /// The fewest that one of the phones may be sent within this hour behind this; `nil` where there are no phones.
    public private(set) var remaining: Int?

    /// When the last of those that have no room has some again; `nil` where all have.
    public private(set) var roomAt: Date?

    /// Nothing is sent.
    public init() {}

    /// A phone is sent a push of priority 10, or one of priority 5 where it has no room and the policy wants that.
    ///
    /// - Parameters:
    ///   - phone: the phone.
    ///   - budget: how many it may be sent.
    ///   - now: the time.
    /// - Returns: whether it is sent one of priority 10.
    public mutating func add(_ phone: ActivityParticipant, of budget: PushBudget, now: Date) -> Bool {
        let limit = budget.limit(frequentUpdates: phone.frequentUpdates)
        let used = phone.recent.count(now: now)
        self.used = max(self.used, used)
        let isLowered: Bool
        if let room = phone.recent.room(limit: limit, now: now) {
            self.over += 1
            self.roomAt = self.roomAt.map { max($0, room) } ?? room
            isLowered = budget.policy == .lower
        } else {
            isLowered = false
        }
        if isLowered { self.lowered += 1 } else { self.pushes += 1 }
        let left = max(0, limit - used - (isLowered ? 0 : 1))
        self.remaining = self.remaining.map { min($0, left) } ?? left
        return !isLowered
    }

    /// Why a change is refused that would cost this; `nil` where the policy allows it.
    ///
    /// - Parameter policy: what becomes of a push to a phone that has no room.
    /// - Returns: the refusal, or `nil`.
    public func refusal(_ policy: PushBudget.Policy) -> ActivityRefusal? {
        guard policy == .refuse, let roomAt else { return nil }
        return .overBudget(phones: self.over, used: self.used, roomAt: roomAt)
    }
}
