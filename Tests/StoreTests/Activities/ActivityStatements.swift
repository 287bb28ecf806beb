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
        let app = StoreFixtures.app
        try await store.keep(ActivityFixtures.registered(ActivityFixtures.rules))
        #expect(try await store.activityType(ActivityFixtures.type, of: app) != nil)
        #expect(try await store.activityTypes(of: app).count == 1)
        try await store.addLesson(phones: [1, 2, 3])
        #expect(try await store.deleteActivityType(ActivityFixtures.type, of: app))
        try await Self.change(store)
        try await Self.transitions(store)
        try await Self.rollout(store)
        let filter = ActivityFilter(
            attributesType: ActivityFixtures.type,
            isOver: false,
            instant: (name: "end", from: StoreFixtures.now, until: StoreFixtures.after(10_000))
        )
        _ = try await store.activities(of: app, matching: filter, after: nil, limit: 10)
        _ = try await store.activities(of: app, matching: ActivityFilter(isOver: true), after: nil, limit: 10)
        #expect(try await store.removeActivities(overBefore: StoreFixtures.after(1_000_000), limit: 100).count > 0)
    }

    /// Changes that are sent, that wait, and that fail.
    private static func change(_ store: some ActivityStore & AppStore & BatchStore) async throws {
        let change = try ActivityFixtures.state(#"{"status":"ending"}"#)
        _ = try await store.estimate(
            [ActivityUpdate(activity: ActivityFixtures.lesson, change: change)],
            of: StoreFixtures.app,
            now: StoreFixtures.now
        )
        _ = try await store.change(change)
        let claimed = try await Self.claim(from: store)
        _ = try await store.change(ActivityFixtures.state(#"{"status":"active"}"#))
        let rejection = Rejection(.unregistered)
        try await store.settleAll(#require(claimed), failures: [.init(index: 0, outcome: .rejected(rejection))])
        while let claimed = try await Self.claim(from: store) { try await store.settleAll(claimed) }
        #expect(try await !store.story().isEmpty)
        #expect(try await store.phones().count == 3)
        #expect(try await store.participantCounts(of: ActivityFixtures.lesson, app: StoreFixtures.app) != nil)
        _ = try await store.leave(ActivityEndReport(installation: ActivityFixtures.phone(3), reason: .dismissed))
    }

    private static func claim(
        from store: some AppStore & BatchStore,
        now: Date = StoreFixtures.now
    ) async throws -> ClaimedBatch? {
        try await store.claim(now: now).first { $0.batch.headers.pushType == .liveactivity }
    }

    private static func transitions(_ store: some ActivityStore & AppStore & BatchStore) async throws {
        let (app, lesson) = (StoreFixtures.app, ActivityFixtures.lesson)
        var moved = ActivityChange()
        moved.instants = ["end": StoreFixtures.after(3000)]
        _ = try await store.change(moved)
        let change = try ActivityFixtures.state(#"{"status":"ending"}"#)
        let plans: [NewTransition] = [
            NewTransition(key: "first", time: .at(StoreFixtures.after(600)), change: change),
            NewTransition(key: "second", time: .at(StoreFixtures.after(1200)), change: change),
            NewTransition(key: "third", time: .at(StoreFixtures.after(1800)), change: change),
        ]
        _ = try await store.plan(plans, for: lesson, of: app, now: StoreFixtures.now)
        #expect(try await store.cancelTransitions(["third"], of: lesson, app: app, now: StoreFixtures.now) == ["third"])
        #expect(try await store.nextActivityTime() == StoreFixtures.after(600))
        _ = try await store.crowdedActivityTime(after: StoreFixtures.now, until: StoreFixtures.after(900), count: 1)
        let prepared = try await store.prepareTransitions(dueAt: StoreFixtures.after(600), after: nil, limit: 10)
        for part in prepared.elements { _ = try await store.carryOut(part, now: StoreFixtures.after(600)) }
        _ = try await store.carryOutTransitions(limit: 10, now: StoreFixtures.after(1200))
        _ = try await store.carryOutTransitions(limit: 10, only: 1, now: StoreFixtures.after(1200))
        #expect(try await store.transitions(of: lesson, app: app).count == 3)
        try await store.sendOn(now: StoreFixtures.after(1200))
    }

    private static func rollout(_ store: some ActivityStore & AppStore & BatchStore & RolloutStore) async throws {
        let app = StoreFixtures.app
        let rollout = RolloutFixtures.rollout()
        for number in 11...12 { _ = try await store.keep(ActivityFixtures.startToken(number, token: 100 + number)) }
        let phones = (11...12).map { ActivityFixtures.phone($0) }
        let activity = try ActivityFixtures.activity("lesson 2")
        _ = try await store.estimateStart(of: activity, on: phones, now: StoreFixtures.now)
        _ = try await store.createActivity(activity, startingOn: phones, rollingOut: rollout, now: StoreFixtures.now)
        #expect(
            try await store.pushToStartTokens(of: ActivityFixtures.type, app: app, installations: phones).count == 2
        )
        let claimed = try await store.claimRollouts(
            planner: RolloutFixtures.planner,
            limit: 10,
            leaseDuration: RolloutFixtures.lease,
            now: StoreFixtures.now
        )
        let first = try #require(claimed.first).rollout
        _ = try await store.backlog(
            of: first.id,
            planner: RolloutFixtures.planner,
            leaseDuration: RolloutFixtures.lease,
            now: StoreFixtures.now
        )
        _ = try await store.rollOut(
            RolloutFixtures.shard(first, phones: [13]),
            planner: RolloutFixtures.planner,
            leaseDuration: RolloutFixtures.lease,
            now: StoreFixtures.now
        )
        try await store.release(
            first.id,
            planner: RolloutFixtures.planner,
            as: .failed(reason: "Test"),
            now: StoreFixtures.now
        )
        #expect(try await store.rollouts(of: "lesson 2", app: app).count == 1)
        _ = try await store.change(ActivityFixtures.patch("{}", end: .immediate), "lesson 2")
    }
}
