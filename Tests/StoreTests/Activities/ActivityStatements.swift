// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import StoreTesting
import Testing

/// The calls of the stores of activities, for the golden files of their statements.
enum ActivityStatements {
    static func run(
        _ store: some ActivityStore & ActivityTypeStore & AppStore & BatchStore & RolloutStore
    ) async throws {
        let app = StoreSamples.app
        try await store.keep(ActivitySamples.registered(ActivitySamples.rules))
        #expect(try await store.activityType(ActivitySamples.type, of: app) != nil)
        #expect(try await store.activityTypes(of: app).count == 1)
        try await store.addLesson(phones: [1, 2, 3])
        #expect(try await store.deleteActivityType(ActivitySamples.type, of: app))
        try await Self.change(store)
        try await Self.transitions(store)
        try await Self.rollout(store)
        let filter = ActivityFilter(
            attributesType: ActivitySamples.type,
            isOver: false,
            instant: (name: "end", from: StoreSamples.now, until: StoreSamples.after(10_000))
        )
        _ = try await store.activities(of: app, matching: filter, after: nil, limit: 10)
        _ = try await store.activities(of: app, matching: ActivityFilter(isOver: true), after: nil, limit: 10)
        #expect(try await store.removeActivities(overBefore: StoreSamples.after(1_000_000), limit: 100).count > 0)
    }

    /// Changes that are sent, that wait, and that fail.
    private static func change(_ store: some ActivityStore & AppStore & BatchStore) async throws {
        let change = try ActivitySamples.state(#"{"status":"ending"}"#)
        _ = try await store.estimate(
            [ActivityOrder(activity: ActivitySamples.lesson, change: change)],
            of: StoreSamples.app,
            now: StoreSamples.now
        )
        _ = try await store.change(change)
        let claimed = try await Self.claim(from: store)
        _ = try await store.change(ActivitySamples.state(#"{"status":"active"}"#))
        let rejection = Rejection(.unregistered)
        try await store.settleAll(#require(claimed), failures: [.init(index: 0, outcome: .rejected(rejection))])
        while let claimed = try await Self.claim(from: store) { try await store.settleAll(claimed) }
        #expect(try await !store.story().isEmpty)
        #expect(try await store.phones().count == 3)
        #expect(try await store.phones(of: ActivitySamples.lesson, app: StoreSamples.app) != nil)
        _ = try await store.leave(ActivityDeparture(installation: ActivitySamples.phone(3), reason: .dismissed))
    }

    private static func claim(
        from store: some AppStore & BatchStore,
        now: Date = StoreSamples.now
    ) async throws -> ClaimedBatch? {
        try await store.claim(now: now).first { $0.batch.headers.pushType == .liveactivity }
    }

    private static func transitions(_ store: some ActivityStore & AppStore & BatchStore) async throws {
        let (app, lesson) = (StoreSamples.app, ActivitySamples.lesson)
        var moved = ActivityChange()
        moved.instants = ["end": StoreSamples.after(3000)]
        _ = try await store.change(moved)
        let change = try ActivitySamples.state(#"{"status":"ending"}"#)
        let plans: [TransitionPlan] = [
            TransitionPlan(key: "first", time: .at(StoreSamples.after(600)), change: change),
            TransitionPlan(key: "second", time: .at(StoreSamples.after(1200)), change: change),
            TransitionPlan(key: "third", time: .at(StoreSamples.after(1800)), change: change),
        ]
        _ = try await store.plan(plans, for: lesson, of: app, now: StoreSamples.now)
        #expect(try await store.withdraw(["third"], of: lesson, app: app, now: StoreSamples.now) == ["third"])
        #expect(try await store.nextActivityTime() == StoreSamples.after(600))
        _ = try await store.crowdedActivityTime(after: StoreSamples.now, until: StoreSamples.after(900), count: 1)
        let prepared = try await store.prepareTransitions(dueAt: StoreSamples.after(600), after: nil, limit: 10)
        for part in prepared.elements { _ = try await store.carryOut(part, now: StoreSamples.after(600)) }
        _ = try await store.carryOutTransitions(limit: 10, now: StoreSamples.after(1200))
        _ = try await store.carryOutTransitions(limit: 10, only: 1, now: StoreSamples.after(1200))
        #expect(try await store.transitions(of: lesson, app: app).count == 3)
        try await store.sendOn(now: StoreSamples.after(1200))
    }

    private static func rollout(_ store: some ActivityStore & AppStore & BatchStore & RolloutStore) async throws {
        let app = StoreSamples.app
        let rollout = RolloutSamples.rollout()
        for number in 11...12 { _ = try await store.keep(ActivitySamples.startToken(number, token: 100 + number)) }
        let phones = (11...12).map { ActivitySamples.phone($0) }
        let activity = try ActivitySamples.activity("lesson 2")
        _ = try await store.estimateStart(of: activity, on: phones, now: StoreSamples.now)
        _ = try await store.createActivity(activity, inviting: phones, rollingOut: rollout, now: StoreSamples.now)
        #expect(
            try await store.pushToStartTokens(of: ActivitySamples.type, app: app, installations: phones).count == 2
        )
        let claimed = try await store.claimRollouts(
            planner: RolloutSamples.planner,
            limit: 10,
            leaseDuration: RolloutSamples.lease,
            now: StoreSamples.now
        )
        let first = try #require(claimed.first).rollout
        _ = try await store.backlog(
            of: first.id,
            planner: RolloutSamples.planner,
            leaseDuration: RolloutSamples.lease,
            now: StoreSamples.now
        )
        _ = try await store.rollOut(
            RolloutSamples.shard(first, phones: [13]),
            planner: RolloutSamples.planner,
            leaseDuration: RolloutSamples.lease,
            now: StoreSamples.now
        )
        try await store.release(
            first.id,
            planner: RolloutSamples.planner,
            as: .failed(reason: "Test"),
            now: StoreSamples.now
        )
        #expect(try await store.rollouts(of: "lesson 2", app: app).count == 1)
        _ = try await store.change(ActivitySamples.patch("{}", end: .immediate), "lesson 2")
    }
}
