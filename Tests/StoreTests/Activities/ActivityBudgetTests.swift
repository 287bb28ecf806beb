// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Stores: activity budgets", .timeLimit(.minutes(20)))
struct ActivityBudgetTests {
    @Test(
        "pushes of priority 10 are counted for each phone, those of priority 5 are not",
        arguments: TestStoreBackend.allCases
    )
    func count(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1])
            let first = try await store.change(Self.change(1))
            #expect([first.cost?.pushes, first.cost?.used, first.cost?.remaining] == [1, 0, 1], "the first")
            try await store.settleAll(try await store.claimOne())
            _ = try await store.tell(ActivityFixtures.upload(2))
            // The phone that came later is sent what is newest at once, and that counts.
            let low = try await store.change(Self.change(2, priority: .powerConsiderate))
            #expect(low.cost == nil, "what priority 5 costs")
            try await Self.settle(store)
            let counts = try await store.phones().map { $0.recent.count(now: StoreFixtures.now) }
            #expect(counts[0] == 1, "how many were sent to the first phone")
            let warned = try await store.change(Self.change(3), now: StoreFixtures.after(60))
            #expect(warned.cost?.overBudget == 0, "how many have no room for the second")
            try await Self.settle(store, now: StoreFixtures.after(60))
            let over = try await store.change(Self.change(4), now: StoreFixtures.after(61))
            #expect((over.cost?.overBudget ?? 0) > 0, "no device is over its budget")
            #expect(over.cost?.pushes == 2, "how many are sent nevertheless")
            #expect(over.cost?.availableAt != nil, "it is not said when there is room again")
        }
    }

    @Test(
        "a phone without room is sent priority 5 where that is wanted, and others priority 10",
        arguments: TestStoreBackend.allCases
    )
    func lowerPriority(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1])
            for number in 1...2 {
                _ = try await store.change(Self.change(number))
                try await store.settleAll(try await store.claimOne())
            }
            _ = try await store.tell(ActivityFixtures.upload(2))
            try await Self.settle(store)
            let receipt = try await store.change(Self.change(3, policy: .downgrade))
            #expect([receipt.sent, receipt.cost?.pushes, receipt.cost?.downgraded] == [2, 1, 1], "what is sent")
            let claimed = try await store.claim(now: StoreFixtures.now)
            let priorities = claimed.compactMap(\.batch.headers.priority).sorted()
            #expect(priorities == [.powerConsiderate, .immediate], "the priorities")
            for batch in claimed { try await store.settleAll(batch) }
            let counts = try await store.phones().map { $0.recent.count(now: StoreFixtures.now) }
            #expect(counts[0] == 2, "what was sent with priority 5 counts")
            // An hour later there is room.
            let later = try await store.change(Self.change(4, policy: .downgrade), now: StoreFixtures.after(4000))
            #expect([later.cost?.pushes, later.cost?.downgraded] == [2, 0], "what is sent then")
        }
    }

    @Test("a phone that waits is sent what is newest under the budget of that", arguments: TestStoreBackend.allCases)
    func budgetOfNewest(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1])
            for number in 1...2 {
                _ = try await store.change(Self.change(number))
                if number == 1 { try await store.settleAll(try await store.claimOne()) }
            }
            let waiting = try await store.change(Self.change(3, policy: .downgrade))
            #expect([waiting.sent, waiting.pending] == [0, 1], "what waits")
            try await store.settleAll(try await store.claimOne())
            let claimed = try await store.claimOne()
            #expect(claimed.batch.headers.priority == .powerConsiderate, "the priority of what waited")
        }
    }

    @Test(
        "a change is refused for which there is no room, and nothing of it is done",
        arguments: TestStoreBackend.allCases
    )
    func refuse(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1])
            for number in 1...2 {
                _ = try await store.change(Self.change(number, policy: .reject))
                try await store.settleAll(try await store.claimOne())
            }
            let orders = [
                ActivityUpdate(activity: ActivityFixtures.lesson, change: try Self.change(3, policy: .reject)),
                ActivityUpdate(
                    activity: ActivityFixtures.lesson,
                    change: try Self.change(4, policy: .reject, priority: .powerConsiderate)
                ),
            ]
            let results = try await store.change(orders, of: StoreFixtures.app, now: StoreFixtures.now)
            guard case .refused(.overBudget(let devices, let used, let availableAt))? = results.first else {
                Issue.record("the change came to \(results)")
                return
            }
            #expect([devices, used] == [1, 2], "how many phones, and what they were sent")
            #expect(availableAt > StoreFixtures.now, "there is room again in the past")
            guard case .changed(let receipt)? = results.last else {
                Issue.record("priority 5 came to \(results)")
                return
            }
            #expect([receipt.version, receipt.sent] == [4, 1], "what priority 5 came to")
            try await store.settleAll(try await store.claimOne())
            let again = try await store.change(Self.change(5, policy: .reject), now: availableAt)
            #expect(again.sent == 1, "what is sent when there is room")
        }
    }

    @Test("what is planned obeys its budget", arguments: TestStoreBackend.allCases)
    func planned(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1])
            for number in 1...2 {
                _ = try await store.change(Self.change(number))
                try await store.settleAll(try await store.claimOne())
            }
            let plans = [
                NewTransition(
                    key: "a",
                    time: .at(StoreFixtures.after(10)),
                    change: try Self.change(3, policy: .reject)
                ),
                NewTransition(
                    key: "b",
                    time: .at(StoreFixtures.after(20)),
                    change: try Self.change(4, policy: .downgrade)
                ),
            ]
            _ = try await store.plan(plans, for: ActivityFixtures.lesson, of: StoreFixtures.app, now: StoreFixtures.now)
            let refused = try await store.carryOutTransitions(limit: 10, now: StoreFixtures.after(10))
            #expect(refused.entries.map(\.transition.state) == [.skipped], "what became of the first")
            let story = try await store.story()
            #expect(story.last?.detail?.hasPrefix("a: 1 of its devices has no budget") == true, "why is not told")
            let lowered = try await store.carryOutTransitions(limit: 10, now: StoreFixtures.after(20))
            #expect(lowered.entries.map(\.transition.state) == [.completed], "what became of the second")
            let claimed = try await store.claimOne(now: StoreFixtures.after(20))
            #expect(claimed.batch.headers.priority == .powerConsiderate, "its priority")
        }
    }

    @Test("an estimate says what a change would come to, and changes nothing", arguments: TestStoreBackend.allCases)
    func estimate(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addLesson(phones: [1, 2])
            let before = try await store.lesson()
            let orders = [
                ActivityUpdate(activity: ActivityFixtures.lesson, change: try Self.change(1)),
                ActivityUpdate(
                    activity: ActivityFixtures.lesson,
                    change: try Self.change(2, priority: .powerConsiderate)
                ),
                ActivityUpdate(activity: "none", change: try Self.change(1)),
            ]
            let results = try await store.estimate(orders, of: StoreFixtures.app, now: StoreFixtures.now)
            guard case .changed(let first) = results[0], case .changed(let second) = results[1] else {
                Issue.record("the estimate is \(results)")
                return
            }
            #expect([first.sent, first.cost?.pushes, first.cost?.remaining] == [2, 2, 1], "the first")
            #expect(first.notification == nil, "what is sent")
            #expect(second.cost == nil, "what priority 5 costs")
            #expect(results[2] == .unknown, "an activity that does not exist")
            let lesson = try await store.lesson()
            #expect(lesson == before, "the activity")
            let claimedCount = try await store.claim(now: StoreFixtures.now).count
            #expect(claimedCount == 0, "what can be claimed")
            let refusing = ActivityUpdate(
                activity: ActivityFixtures.lesson,
                change: try Self.change(1, policy: .reject)
            )
            for _ in 1...2 {
                _ = try await store.change([refusing], of: StoreFixtures.app, now: StoreFixtures.now)
                try await store.settleAll(try await store.claimOne())
            }
            let refused = try await store.estimate([refusing], of: StoreFixtures.app, now: StoreFixtures.now)
            guard case .refused(.overBudget)? = refused.first else {
                Issue.record("the estimate is \(refused)")
                return
            }
        }
    }

    /// A change to a new state; phones may be sent two pushes of priority 10 in an hour.
    private static func change(
        _ number: Int,
        policy: PushBudget.Policy = .warn,
        priority: Priority = .immediate
    ) throws -> ActivityChange {
        ActivityChange(
            contentState: .replaced(try RawJSONObject(["n": .integer(Int64(number))])),
            priority: priority,
            budget: PushBudget(policy: policy, limits: .init(hourly: 2, frequentHourly: 2))
        )
    }

    /// Settles everything that can be claimed.
    private static func settle(
        _ store: some BatchStore & ActivityStore & AppStore,
        now: Date = StoreFixtures.now
    ) async throws {
        while true {
            let claimed = try await store.claim(now: now)
            if claimed.isEmpty { return }
            for batch in claimed { try await store.settleAll(batch, now: now) }
        }
    }
}
