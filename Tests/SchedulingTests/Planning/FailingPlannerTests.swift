// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import PushModel
import PushStore
import SQLStore
import Scheduling
import StoreTesting
import Synchronization
import Testing

@Suite("A campaign that cannot be planned", .timeLimit(.minutes(20)))
struct FailingPlannerTests {
    @Test("fails with a reason after some attempts, and holds up no other", arguments: TestStoreBackend.allCases)
    func fails(on store: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: store) { stage in
            stage.configuration.maximumSetbacks = 3
            try await stage.register(0..<10)
            let bad = try stage.campaign(audience: .topic("unreadable"))
            let good = try stage.campaign()
            let store = UnreadableStore(stage.store, audience: bad.audience)
            try await stage.store.createCampaign(bad)
            try await stage.store.createCampaign(good)
            let changes = stage.store.changes()
            try await stage.plan(on: store) { [stage] in
                _ = try await stage.deliver(good, changes)
                for _ in 1..<3 {
                    try await store.failures.nextElement()
                    // Longer than it waits for the next attempt; the poll claims it.
                    stage.now.advance(by: .seconds(10))
                    try await stage.clock.fire(timerDueIn: .seconds(1))
                }
                try await store.failures.nextElement()
            }
            #expect(try await stage.status(of: good).lifecycle.state == .completed)
            guard case .failed(let reason) = try await stage.status(of: bad).lifecycle.state else {
                Issue.record("it did not fail")
                return
            }
            #expect(reason.contains("damaged page"))
            #expect(store.attempts == 3)
        }
    }

    @Test("whose audience cannot be counted is planned to its end all the same", arguments: TestStoreBackend.allCases)
    func uncounted(on store: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: store) { stage in
            stage.configuration.shardSize = 10
            stage.configuration.maxEnqueuedTargets = 20
            try await stage.register(0..<100)
            let campaign = try stage.campaign()
            let store = UncountableStore(stage.store)
            let changes = stage.store.changes()
            // No clock is moved: whoever waited for another attempt would wait for ever.
            try await stage.plan(on: store) { [stage] in
                try await stage.store.createCampaign(campaign)
                for await _ in store.asked { break }
                let early = try await stage.deliverReady()
                let tokens = try await early + stage.deliver(campaign, changes)
                #expect(Set(tokens).count == 100)
                #expect(tokens.count == 100)
            }
            let status = try await stage.status(of: campaign)
            #expect(status.lifecycle.state == .completed)
            #expect(status.lifecycle.plan?.expected == 100)
        }
    }

    @Test(
        "goes on long before its lease expires when the store is back, although it could not be released either",
        arguments: TestStoreBackend.allCases
    )
    func shortOutage(on store: TestStoreBackend) async throws {
        try await SchedulingStage.open(on: store) { stage in
            try await stage.register(0..<10)
            let campaign = try stage.campaign()
            let store = BlinkingStore(stage.store)
            let changes = stage.store.changes()
            try await stage.store.createCampaign(campaign)
            try await stage.plan(on: store) { [stage] in
                try await store.failedReleases.nextElement()
                let tokens = try await stage.clock.pass(upTo: .seconds(4), alsoAdvancing: stage.now) {
                    try await stage.deliver(campaign, changes)
                }
                #expect(tokens.count == 10)
            }
            #expect(try await stage.status(of: campaign).lifecycle.state == .completed)
        }
    }
}

/// A store that is away for one step of planning, and for the release after it.
private final class BlinkingStore: StoreDecorator {
    private static let error = StoreError(code: .unavailable, message: "for a test")

    let base: any PushStore & SQLBacked
    private let left = Mutex((steps: 1, releases: 1))
    private let failed: AsyncStream<Void>.Continuation

    /// Has an element for each release that failed.
    let failedReleases: AsyncStream<Void>

    init(_ base: any PushStore & SQLBacked) {
        self.base = base
        (self.failedReleases, self.failed) = AsyncStream.makeStream()
    }

    func advance(_ step: FanOutStep, planner: WorkerID, leaseDuration: Duration, now: Date) async throws {
        let fails = self.left.withLock { left in
            left.steps -= 1
            return left.steps >= 0
        }
        if fails { throw Self.error }
        try await self.base.advance(step, planner: planner, leaseDuration: leaseDuration, now: now)
    }

    func release(_ campaign: CampaignID, planner: WorkerID, as end: CampaignReleaseReason, now: Date) async throws {
        let fails = self.left.withLock { left in
            left.releases -= 1
            return left.releases >= 0
        }
        guard !fails else {
            self.failed.yield()
            throw Self.error
        }
        try await self.base.release(campaign, planner: planner, as: end, now: now)
    }
}

/// A store in which counting an audience takes too long.
private final class UncountableStore: StoreDecorator {
    let base: any PushStore & SQLBacked

    /// Yields when an audience is to be counted.
    let asked: AsyncStream<Void>
    private let ask: AsyncStream<Void>.Continuation

    init(_ base: any PushStore & SQLBacked) {
        self.base = base
        (self.asked, self.ask) = AsyncStream.makeStream()
    }

    func count(of audience: Audience, app: AppID, through last: Int64?) async throws -> Int {
        self.ask.yield()
        throw StoreError(code: .unavailable, message: "no statement may take longer")
    }
}

/// A store that cannot read one audience, and reports each campaign that failed because of that.
private final class UnreadableStore: StoreDecorator {
    let base: any PushStore & SQLBacked
    private let audience: Audience
    private let count = Mutex(0)
    private let failure: AsyncStream<Void>.Continuation

    /// Has an element for each stored failure.
    let failures: AsyncStream<Void>

    var attempts: Int { self.count.withLock { $0 } }

    init(_ base: any PushStore & SQLBacked, audience: Audience) {
        self.base = base
        self.audience = audience
        (self.failures, self.failure) = AsyncStream.makeStream()
    }

    func release(_ campaign: CampaignID, planner: WorkerID, as end: CampaignReleaseReason, now: Date) async throws {
        try await self.base.release(campaign, planner: planner, as: end, now: now)
        switch end {
        case .setBack, .failed: self.failure.yield()
        case .until, .expired: break
        }
    }

    func members(
        of audience: Audience,
        app: AppID,
        in range: AudienceRange,
        limit: Int,
        depth: PersonalizationAttributes.Depth
    ) async throws -> [AudienceDevice] {
        guard audience != self.audience else {
            self.count.withLock { $0 += 1 }
            throw StoreError(code: .corrupt, message: "damaged page")
        }
        return try await self.base.members(of: audience, app: app, in: range, limit: limit, depth: depth)
    }
}
