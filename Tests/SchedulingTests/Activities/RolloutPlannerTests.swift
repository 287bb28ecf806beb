// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import Logging
import PushModel
import PushStore
import SQLStore
import Scheduling
import ServiceLifecycle
import StoreTesting
import Telemetry
import Testing

@Suite("The planner of rollouts", .timeLimit(.minutes(20)))
struct RolloutPlannerTests {
    /// How many devices there are: every other one is subscribed, every third one has a token that starts activities.
    private static let devices = 300
    private static let subscribed = Self.devices / 2
    private static let reached = Self.devices / 6

    /// Registers the devices with their tokens.
    private func fill(_ stage: SchedulingStage) async throws {
        try await stage.register(0..<Self.devices) { number in
            DeviceProfile(topics: number.isMultiple(of: 2) ? ["lessons"] : [])
        }
        for number in stride(from: 0, to: Self.devices, by: 3) {
            let token = PushToStartToken(
                app: SchedulingStage.app,
                installation: DeviceID(unchecked: "device-\(number)"),
                attributesType: ActivityFixtures.type,
                token: try SchedulingStage.token(1_000_000 + number),
                environment: .sandbox,
                issuedAt: stage.now.date
            )
            _ = try await stage.store.keep(token)
        }
    }

    /// Stores a lesson that is to be started on the subscribed devices.
    private func begin(_ stage: SchedulingStage, ratePerSecond: Int? = nil) async throws -> ActivityRollout {
        let rollout = ActivityRollout(audience: .topic("lessons"), ratePerSecond: ratePerSecond, now: stage.now.date)
        _ = try await stage.store.createActivity(
            ActivityFixtures.activity(),
            startingOn: [],
            rollingOut: rollout,
            now: stage.now.date
        )
        return rollout
    }

    /// Runs a planner for as long as `body` takes, and shuts it down gracefully; an error cancels it.
    private func plan(
        _ stage: SchedulingStage,
        on store: (any RolloutSchedulingStore)? = nil,
        pace: RolloutLimits = RolloutLimits(shardSize: 20),
        planner: WorkerID = .unique(),
        clock: (any Clock<Duration>)? = nil,
        metrics: MetricsRegistry = MetricsRegistry(),
        _ body: () async throws -> Void
    ) async throws {
        var configuration = stage.configuration
        configuration.planner = planner
        configuration.rollouts = pace
        configuration.planInterval = .milliseconds(2)
        let service = RolloutScheduler(
            store: store ?? stage.store,
            configuration: configuration,
            clock: clock ?? ContinuousClock(),
            now: { [now = stage.now] in now.date },
            metrics: metrics,
            logger: .silent
        )
        let services = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: [service], logger: .silent)
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            try await body()
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
        }
    }

    /// Settles every batch as it comes, until the rollout's notification is settled.
    private func deliver(
        _ rollout: ActivityRollout,
        _ stage: SchedulingStage,
        _ changes: AsyncStream<StoreChange>
    ) async throws -> [DeviceToken] {
        var tokens = try await stage.deliverReady()
        for await change in changes {
            if change == .notificationSettled(rollout.id.notification) { break }
            guard case .batchReady = change else { continue }
            tokens += try await stage.deliverReady()
        }
        return tokens
    }

    private func rollout(_ stage: SchedulingStage) async throws -> ActivityRollout {
        let found = try await stage.store.rollouts(of: ActivityFixtures.lesson, app: SchedulingStage.app)
        return try #require(found.last)
    }

    private func expectAllReached(_ stage: SchedulingStage, _ tokens: [DeviceToken]) async throws {
        let expected = try stride(from: 0, to: Self.devices, by: 6).map { try SchedulingStage.token(1_000_000 + $0) }
        #expect(tokens.count == Self.reached)
        #expect(Set(tokens) == Set(expected))
        let rollout = try await self.rollout(stage)
        #expect(rollout.state == .completed)
        let counts = RolloutProgress.Counts(startsSent: Self.reached, withoutToken: Self.subscribed - Self.reached)
        #expect(rollout.progress.counts == counts)
        #expect(rollout.progress.expected == Self.subscribed)
        #expect(rollout.planner == nil)
    }

    @Test(
        "starts an activity once on each device of an audience that has a token",
        arguments: TestStoreBackend.allCases
    )
    func all(on store: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: store) { stage in
            try await self.fill(stage)
            let changes = stage.store.changes()
            try await self.plan(stage) { [stage] in
                let rollout = try await self.begin(stage)
                try await self.expectAllReached(stage, try await self.deliver(rollout, stage, changes))
            }
        }
    }

    @Test(
        "that is killed loses and repeats nothing: another one goes on when its lease has lapsed",
        arguments: [1, 2, 5]
    )
    func killed(steps: Int) async throws {
        for arrives in [true, false] {
            try await SchedulingStage.open { stage in
                try await self.fill(stage)
                let rollout = try await self.begin(stage)
                let changes = stage.store.changes()
                let mortal = MortalStore(stage.store, steps: steps, arrives: arrives)
                try await self.plan(stage, on: mortal, planner: "dead") { for await _ in mortal.death {} }
                #expect(try await self.rollout(stage).planner == "dead")
                stage.now.advance(by: .seconds(16))
                try await self.plan(stage) { [stage] in
                    try await self.expectAllReached(stage, try await self.deliver(rollout, stage, changes))
                }
            }
        }
    }

    @Test("shares the rollouts with another one on the same store", arguments: TestStoreBackend.allCases)
    func two(on store: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: store) { stage in
            try await self.fill(stage)
            let changes = stage.store.changes()
            try await self.plan(stage, planner: "one") { [stage] in
                try await self.plan(stage, planner: "two") { [stage] in
                    let rollout = try await self.begin(stage)
                    try await self.expectAllReached(stage, try await self.deliver(rollout, stage, changes))
                }
            }
        }
    }

    @Test("goes no further ahead of what is sent than it may", arguments: TestStoreBackend.allCases)
    func lookahead(on store: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: store) { stage in
            try await self.fill(stage)
            let rollout = try await self.begin(stage)
            let changes = stage.store.changes()
            let pace = RolloutLimits(shardSize: 10, lookahead: 20)
            try await self.plan(stage, pace: pace, clock: stage.clock) { [stage] in
                // It waits for a shorter time than anything else: for room.
                try await stage.clock.timer(dueIn: .milliseconds(2))
                let started = try await self.rollout(stage).progress.counts.startsSent
                #expect(started > 10 && started <= 20)
                // What it has written is sent; it looks again when its time has come.
                #expect(try await stage.deliverReady().count == started)
                stage.clock.advance(by: .milliseconds(2))
                try await stage.clock.timer(dueIn: .milliseconds(2))
                #expect(try await self.rollout(stage).progress.counts.startsSent > started)
            }
            // Given back at once.
            try await self.plan(stage) { [stage] in
                _ = try await self.deliver(rollout, stage, changes)
                #expect(try await self.rollout(stage).progress.counts.startsSent == Self.reached)
            }
        }
    }

    @Test("takes back what waits to be sent when the activity ends, and stops")
    func ended() async throws {
        try await SchedulingStage.open { stage in
            try await self.fill(stage)
            let rollout = try await self.begin(stage)
            let changes = stage.store.changes()
            let pace = RolloutLimits(shardSize: 10, lookahead: 20)
            try await self.plan(stage, pace: pace, clock: stage.clock) { [stage] in
                try await stage.clock.timer(dueIn: .milliseconds(2))
                _ = try await stage.store.change(ActivityChange(end: .immediate), now: stage.now.date)
                stage.clock.advance(by: .milliseconds(2))
                for await change in changes where change == .notificationSettled(rollout.id.notification) { break }
                let stopped = try await self.rollout(stage)
                #expect(stopped.state == .stopped)
                #expect(stopped.progress.reason == "ended")
                #expect(stopped.progress.counts.startsSent <= 20)
                #expect(try await stage.deliverReady().isEmpty)
            }
        }
    }

    @Test("holds a throttled rollout to its rate")
    func throttled() async throws {
        try await SchedulingStage.open { stage in
            try await self.fill(stage)
            // Ten a second: one in each tenth, written up to a second ahead.
            _ = try await self.begin(stage, ratePerSecond: 10)
            let pace = RolloutLimits(shardSize: 20, turn: .milliseconds(100))
            try await self.plan(stage, pace: pace, clock: stage.clock) { [stage] in
                try await stage.clock.timers(dueWithin: .milliseconds(2))
                let first = try await self.rollout(stage).progress.counts.startsSent
                #expect((10...11).contains(first))
                let now = try await stage.store.claim(
                    lane: .bulk,
                    limit: 1000,
                    worker: "worker",
                    leaseDuration: .seconds(60),
                    now: stage.now.date
                )
                #expect(now.count == 1)
                stage.now.advance(by: .seconds(1))
                stage.clock.advance(by: .milliseconds(2))
                try await stage.clock.timers(dueWithin: .milliseconds(2))
                let second = try await self.rollout(stage).progress.counts.startsSent
                #expect(second > first && second <= 21)
            }
        }
    }

    @Test("a slow rollout has one shard for every 10 seconds")
    func longTurns() async throws {
        try await SchedulingStage.open { stage in
            try await self.fill(stage)
            _ = try await self.begin(stage, ratePerSecond: 1)
            try await self.plan(stage, pace: RolloutLimits(), clock: stage.clock) { [stage] in
                try await stage.clock.timers(dueWithin: .milliseconds(2))
                #expect(try await self.rollout(stage).progress.counts.startsSent == 10)
                #expect(try await stage.deliverReady().count == 10)
                stage.now.advance(by: .seconds(9))
                stage.clock.advance(by: .milliseconds(2))
                try await stage.clock.timers(dueWithin: .milliseconds(2))
                #expect(try await self.rollout(stage).progress.counts.startsSent == 20)
                #expect(try await stage.deliverReady().isEmpty)
                stage.now.advance(by: .seconds(1))
                #expect(try await stage.deliverReady().count == 10)
            }
        }
    }

    @Test("leaves a rollout alone whose activity was set aside, and claims it again when its time has come")
    func setAside() async throws {
        try await SchedulingStage.open { stage in
            try await self.fill(stage)
            let rollout = try await self.begin(stage)
            let changes = stage.store.changes()
            let damaged = SetAsideStore(stage.store)
            let metrics = MetricsRegistry()
            try await self.plan(stage, on: damaged, metrics: metrics) {
                for await _ in damaged.attempts { break }
            }
            let text = try PrometheusText(metrics.text())
            #expect(text.value("apus_scheduling_quarantined_total", ["type": "rollout"]) == 1)
            #expect(text.value("apus_rollout_retries_total") ?? 0 == 0)
            stage.now.advance(by: .seconds(3600))
            try await self.plan(stage) { [stage] in
                try await self.expectAllReached(stage, try await self.deliver(rollout, stage, changes))
            }
        }
    }
}

/// A store that sets the activity of a rollout aside whenever one is to be gone on with.
private final class SetAsideStore: StoreDecorator {
    let base: any PushStore & SQLBacked

    /// Has an element for each time.
    let attempts: AsyncStream<Void>

    private let attempt: AsyncStream<Void>.Continuation

    init(_ base: any PushStore & SQLBacked) {
        self.base = base
        (self.attempts, self.attempt) = AsyncStream.makeStream()
    }

    func rollOut(
        _ shard: RolloutPage,
        planner: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> ActivityRollout {
        let time = now.addingTimeInterval(3600)
        try await self.base.release(shard.rollout, planner: planner, as: .until(time), now: now)
        self.attempt.yield()
        let found = try await self.base.rollouts(of: ActivityFixtures.lesson, app: SchedulingStage.app)
        return try #require(found.last)
    }
}
