// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import Testing

@Suite("The budget of pushes of priority 10")
struct PushBudgetTests {
    /// The beginning of a span of four minutes.
    private let now = Date(timeIntervalSince1970: 1_770_000_000)

    private func at(_ seconds: Double) -> Date { self.now.addingTimeInterval(seconds) }

    private func pushes(at seconds: [Double]) -> HourlyPushCounter {
        var pushes = HourlyPushCounter()
        for second in seconds { pushes.add(now: self.at(second)) }
        return pushes
    }

    private func phone(_ recent: HourlyPushCounter, frequentUpdates: Bool? = nil) throws -> ActivityParticipant {
        ActivityParticipant(
            installation: "phone",
            environment: .production,
            token: try DeviceToken(bytes: [0xAB]),
            state: .active,
            origin: .app,
            frequentUpdates: frequentUpdates,
            lastSentVersion: 1,
            recent: recent,
            joinedAt: self.now
        )
    }

    @Test("counts what was sent within the last hour, and at most four minutes more")
    func counts() {
        let pushes = self.pushes(at: [0, 1, 239, 240, 1800])
        #expect(pushes.count(now: self.at(1800)) == 5)
        #expect(pushes.count(now: self.at(3600)) == 5)
        #expect(pushes.count(now: self.at(3839)) == 5)
        #expect(pushes.count(now: self.at(3840)) == 2)
        #expect(pushes.count(now: self.at(4080)) == 1)
        #expect(pushes.count(now: self.at(1800 + 3840)) == 0)
    }

    @Test("counts as many as are sent, however they lie", arguments: [1, 7, 59, 240, 901, 3599, 3841, 90_000])
    func steps(step: Int) {
        var pushes = HourlyPushCounter()
        for place in 0..<40 {
            let now = self.at(Double(place * step))
            pushes.add(now: now)
            // Exactly those of the span that is under way and of the fifteen before it.
            let first = (place * step / 240 - 15) * 240
            let expected = (0...place).count { $0 * step >= first }
            #expect(pushes.count(now: now) == expected)
        }
    }

    @Test("has room again once enough of them are an hour old, and never earlier")
    func room() throws {
        let pushes = self.pushes(at: [0, 10, 500, 1000])
        #expect(pushes.room(limit: 5, now: self.at(1000)) == nil)
        #expect(pushes.room(limit: 4, now: self.at(1000)) == self.at(3840))
        #expect(pushes.room(limit: 3, now: self.at(1000)) == self.at(3840))
        #expect(pushes.room(limit: 2, now: self.at(1000)) == self.at(480 + 3840))
        #expect(pushes.room(limit: 1, now: self.at(1000)) == self.at(960 + 3840))
        for limit in 1...4 {
            let room = try #require(pushes.room(limit: limit, now: self.at(1000)))
            #expect(pushes.count(now: room.addingTimeInterval(-1)) >= limit)
            #expect(pushes.count(now: room) < limit)
        }
    }

    @Test("goes on counting when the clock is set back")
    func setBack() {
        var pushes = self.pushes(at: [0, 0])
        pushes.add(now: self.at(-7200))
        #expect(pushes.count(now: self.at(-7200)) == 3)
        #expect(pushes.count(now: self.at(3839)) == 3)
        #expect(pushes.count(now: self.at(3840)) == 0)
    }

    @Test("is kept in few bytes, and read back as it was")
    func bytes() {
        #expect(HourlyPushCounter().bytes == nil)
        #expect(HourlyPushCounter(bytes: nil) == HourlyPushCounter())
        let one = self.pushes(at: [0])
        #expect(one.bytes?.count == 6)
        let many = self.pushes(at: (0..<4000).map { Double($0) })
        #expect(many.bytes?.count == 36)
        for pushes in [one, many, self.pushes(at: [0, 3500])] {
            #expect(HourlyPushCounter(bytes: pushes.bytes) == pushes)
        }
        for count in [0, 1, 4, 5, 7, 38] { #expect(HourlyPushCounter(bytes: Array(repeating: 1, count: count)) == nil) }
    }

    @Test("stays at the most that is counted")
    func saturated() {
        var pushes = HourlyPushCounter()
        for _ in 0..<70_000 { pushes.add(now: self.now) }
        #expect(pushes.count(now: self.now) == 65_535)
    }

    @Test("is larger where the person lets the app have frequent updates")
    func limits() {
        let budget = PushBudget(limits: .init(hourly: 2, frequentHourly: 5))
        #expect(budget.limit(frequentUpdates: nil) == 2)
        #expect(budget.limit(frequentUpdates: false) == 2)
        #expect(budget.limit(frequentUpdates: true) == 5)
        #expect(PushBudget.Limits(hourly: 0, frequentHourly: 100_000) == .init(hourly: 1, frequentHourly: 65_535))
    }

    @Test("tells what a change costs all of its phones", arguments: PushBudget.Policy.allCases)
    func cost(policy: PushBudget.Policy) throws {
        let budget = PushBudget(policy: policy, limits: .init(hourly: 2, frequentHourly: 5))
        var cost = BudgetImpact()
        #expect(cost.remaining == nil)
        let fresh = cost.add(try self.phone(HourlyPushCounter()), of: budget, now: self.now)
        #expect(fresh)
        #expect(cost.remaining == 1)
        let full = cost.add(try self.phone(self.pushes(at: [0, 0])), of: budget, now: self.at(60))
        #expect(full == (policy != .downgrade))
        let frequent = cost.add(
            try self.phone(self.pushes(at: [0, 0, 0]), frequentUpdates: true),
            of: budget,
            now: self.at(60)
        )
        #expect(frequent)
        #expect(cost.pushes == (policy == .downgrade ? 2 : 3))
        #expect(cost.downgraded == (policy == .downgrade ? 1 : 0))
        #expect(cost.overBudget == 1)
        #expect(cost.used == 3)
        #expect(cost.remaining == 0)
        #expect(cost.availableAt == self.at(3840))
        let refusal = ActivityError.overBudget(devices: 1, used: 3, availableAt: self.at(3840))
        #expect(cost.refusal(policy) == (policy == .reject ? refusal : nil))
        #expect(refusal.message.contains("The next one is possible at 2026-02-02T03:44:00Z."))
    }

    @Test("of changes that are folded is the strictest one; a change that says nothing takes the default")
    func folded() throws {
        var lifecycle = ActivityLifecycle(timestamp: 1, contentState: try RawJSONObject(json: "{}"))
        let state = ActivityChange.ContentState.replaced(try RawJSONObject(json: "{}"))
        let policies: [PushBudget.Policy?] = [.warn, .reject, .downgrade, nil]
        let changes = policies.map { ActivityChange(contentState: state, budget: $0.map { PushBudget(policy: $0) }) }
        _ = try lifecycle.apply(changes, fixedBytes: 0, now: self.now)
        #expect(lifecycle.budget?.policy == .reject)
        _ = try lifecycle.apply([ActivityChange(contentState: state)], fixedBytes: 0, now: self.now)
        #expect(lifecycle.budget == nil)
    }
}
