// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import PushModel
import PushStore
import Synchronization
import Work

/// Processes one claimed campaign until it is completed, released, or idle for long.
struct CampaignProcessor: PlannedItem {
    static let kind = "campaign"

    /// The number of queued pages from which the fan-out pauses after each page for as long as the page took.
    private static let enough = 2

    let claimed: StoredCampaign
    let context: CampaignScheduler

    var campaign: Campaign { self.claimed.campaign }
    var failures: Int { self.claimed.lifecycle.setbacks }
    var logMetadata: Logger.Metadata { ["campaign.id": "\(self.campaign.id)"] }

    /// Writes batches while fewer are queued than allowed, and releases the campaign.
    ///
    /// - Returns: whether to claim campaigns again; `false` while this process still processes the campaign under an
    ///   older claim.
    func run(in slot: WorkSlot) async -> Bool {
        DebugTrap.check(.campaign, "\(self.campaign.id)")
        guard let wakes = self.context.wakes.subscribeAlone(to: self.campaign.id) else {
            // The older processor notices that its lease is lost, and releases it. Then the campaign is claimed with
            // its current progress.
            await self.processing { _ in try await self.release(as: .until(self.now)) }
            // If the older processor has ended meanwhile, its claim came before this release.
            return !self.context.wakes.hasSubscriber(for: self.campaign.id)
        }
        defer { wakes.end() }
        wakes.wake()
        await self.processing { failures in
            try await withThrowingDiscardingTaskGroup { group in
                defer { group.cancelAll() }
                group.addTask {
                    while (try? await self.context.clock.sleep(for: self.interval(in: slot))) != nil { wakes.wake() }
                }
                let counting = AudienceCountTask()
                group.addTask { if await counting.run(self.countAudience) { wakes.wake() } }
                // With many campaigns, polls are too rare for waves and pages with a rate limit to be on time.
                let (times, alarm) = AsyncStream.makeStream(of: Date.self, bufferingPolicy: .bufferingNewest(1))
                group.addTask {
                    for await time in times {
                        let wait = max(.zero, Duration.wait(until: time, from: self.now))
                        guard (try? await self.context.clock.sleep(for: wait)) != nil else { return }
                        wakes.wake()
                    }
                }
                try await self.plan(wakes.wakes, in: slot, counting, alarm, &failures)
            }
        }
        return true
    }

    func extendLease() async throws { _ = try await self.backlog(extending: true) }

    func release(as end: CampaignReleaseReason) async throws {
        try await self.context.store.release(self.campaign.id, planner: self.planner, as: end, now: self.now)
    }

    func count(_ failure: PlanningFailure) { self.context.metrics.count(failure) }

    /// The interval of checks for capacity; with a rate limit, the checks come before the queued pages are sent.
    private func interval(in slot: WorkSlot) -> Duration {
        let isLimited = self.campaign.rate != nil
        return self.interval(in: slot, longest: isLimited ? self.configuration.lead / 2 : self.leaseDuration / 5)
    }

    /// Continues the fan-out at each wake-up, and gives its slot to others in between.
    ///
    /// - Throws: `StoreError`, and errors of rendering the message.
    private func plan(
        _ wakes: AsyncStream<Void>,
        in slot: WorkSlot,
        _ counting: AudienceCountTask,
        _ alarm: AsyncStream<Date>.Continuation,
        _ failures: inout Int
    ) async throws {
        var plan = try await self.begin()
        var extendedAt = self.now
        for await _ in wakes {
            try await self.take(slot)
            defer { slot.park() }
            let now = self.now
            if self.isStopping { return try await self.release(as: .until(now)) }
            let isOld = now.timeIntervalSince(extendedAt) > self.leaseDuration / .seconds(3)
            if isOld { extendedAt = now }
            var backlog = try await self.backlog(extending: isOld)
            if plan.expected == nil, let count = counting.count { plan = try await self.note(count, in: plan) }
            steps: while true {
                if plan.revision > self.claimed.lifecycle.plan?.revision ?? 0 { failures = 0 }
                if let end = self.campaign.expiresAt, end <= self.now {
                    return try await self.release(as: .expired)
                }
                let pace = self.configuration.pace(of: self.campaign)
                switch plan.next(now: self.now, pace: pace, backlog: backlog) {
                case .done: return
                case .wait(let time):
                    let wait = time.timeIntervalSince(self.now)
                    if wait > self.configuration.longestWait / .seconds(1) {
                        return try await self.release(as: .until(time))
                    }
                    // A campaign with a rate limit never waits for capacity.
                    if plan.expected == nil, plan.planned > 0 { counting.begin(through: plan.lastPlace) }
                    alarm.yield(time)
                    break steps
                case .waitForRoom:
                    // Enough batches are queued meanwhile.
                    if plan.expected == nil { counting.begin(through: plan.lastPlace) }
                    break steps
                case .read(let order):
                    let elapsed = self.context.clock.stopwatch()
                    plan = try await self.plan(order, of: plan)
                    if plan.isDone { return }
                    if self.isStopping { break steps }
                    backlog = try await self.backlog(extending: false)
                    // Let other tasks use the processor.
                    let rest = elapsed()
                    if backlog.targets >= Self.enough * self.configuration.shardSize, rest > .zero {
                        try await self.context.clock.sleep(for: rest)
                    }
                case .review:
                    guard let reviewed = try await self.review(plan) else { break steps }
                    plan = reviewed
                case .recheck(let order):
                    plan = try await self.recheck(order, of: plan)
                    if self.isStopping { break steps }
                    backlog = try await self.backlog(extending: false)
                case .fix(let batch):
                    plan = try await self.fix(after: batch, of: plan)
                    if self.isStopping { break steps }
                }
            }
        }
        try await self.release(as: .until(self.now))
    }

    /// Returns the stored state of the fan-out, or starts one.
    private func begin() async throws -> CampaignFanOut {
        if let plan = self.claimed.lifecycle.plan { return plan }
        let store = self.context.store
        let lastPlace = try await store.lastPlace(of: self.campaign.app)
        let plan: CampaignFanOut
        switch self.campaign.start {
        case .now, .at:
            let wave = CampaignFanOut.Wave(due: self.campaign.planningTime, zones: .any)
            let isTokenValidation = self.campaign.tokenValidation != nil
            plan = CampaignFanOut(waves: [wave], lastPlace: lastPlace, isTokenValidation: isTokenValidation)
        case .local(let start):
            let audience = self.campaign.audience
            let zones = try await self.holdingLease {
                try await store.timeZones(of: audience, app: self.campaign.app, through: lastPlace)
            }
            let schedule = LocalTimeWaves(start, zones: zones, startedAt: self.campaign.planningTime)
            plan = CampaignFanOut(waves: schedule.waves, lastPlace: lastPlace, expected: schedule.count)
        }
        try await self.store(FanOutStep(campaign: self.campaign.id, plan: plan))
        self.context.logger.info(
            "Campaign started",
            metadata: ["campaign.id": "\(self.campaign.id)", "campaign.waves": "\(plan.waves.count)"]
        )
        return plan
    }

    private func plan(_ order: CampaignFanOut.Order, of plan: CampaignFanOut) async throws -> CampaignFanOut {
        let elapsed = self.context.clock.stopwatch()
        let members = try await self.holdingLease {
            try await self.context.store.members(
                of: self.campaign.audience,
                app: self.campaign.app,
                in: AudienceRange(after: order.after, through: order.through, zones: order.zones),
                limit: order.limit,
                depth: self.campaign.message.depth
            )
        }
        var generator = SystemRandomNumberGenerator()
        let now = self.now
        let step = try plan.planning(members, of: order, for: self.campaign, now: now, using: &generator)
        try await self.store(step)
        self.context.metrics.enqueued(targets: members.count, batches: step.batches.count, in: elapsed())
        return step.plan
    }

    /// Counts the audience; if that fails, the campaign continues without the count.
    private func countAudience(through last: Int64) async -> Int? {
        // Limit concurrent counts like concurrent campaigns.
        let slot = self.context.counts.begin(isIdle: true)
        defer { slot.end(isNews: false) }
        if !slot.request() { await slot.isGranted() }
        guard !Task.isCancelled else { return nil }
        do {
            return try await self.context.store.count(of: self.campaign.audience, app: self.campaign.app, through: last)
        } catch {
            self.log(.warning, "Failed to count the audience of a campaign; continuing without the count", error)
            return nil
        }
    }

    private func note(_ count: Int, in plan: CampaignFanOut) async throws -> CampaignFanOut {
        let counted = plan.counting(count)
        try await self.store(FanOutStep(campaign: self.campaign.id, plan: counted))
        return counted
    }

    private func store(_ step: FanOutStep) async throws {
        let store = self.context.store
        try await store.advance(step, planner: self.planner, leaseDuration: self.leaseDuration, now: self.now)
    }

    private func backlog(extending: Bool) async throws -> CampaignBacklog {
        try await self.context.store.backlog(
            of: self.campaign.id,
            planner: self.planner,
            leaseDuration: extending ? self.leaseDuration : nil,
            now: self.now
        )
    }
}

/// The steps of a token validation after the fan-out.
extension CampaignProcessor {
    /// The number of batches in one step that fixes devices.
    private static let fixedBatches = 10

    /// Continues when all enqueued devices have their outcome; returns `nil` while outcomes are missing.
    private func review(_ plan: CampaignFanOut) async throws -> CampaignFanOut? {
        guard let validation = self.campaign.tokenValidation,
            let status = try await self.context.store.campaign(self.campaign.id),
            let reviewed = plan.reviewing(status.counts, for: validation)
        else { return nil }
        try await self.store(FanOutStep(campaign: self.campaign.id, plan: reviewed))
        return reviewed
    }

    /// Reads failures, and enqueues those with `BadDeviceToken` for the other environment.
    private func recheck(_ order: CampaignFanOut.RecheckOrder, of plan: CampaignFanOut) async throws -> CampaignFanOut {
        let failures = try await self.context.store.failures(
            of: self.campaign.id.notification,
            after: order.after,
            limit: order.limit
        )
        var generator = SystemRandomNumberGenerator()
        let step = try plan.rechecking(
            failures.elements,
            isLast: failures.next == nil,
            of: order,
            for: self.campaign,
            now: self.now,
            using: &generator
        )
        try await self.store(step)
        return step.plan
    }

    /// Fixes the environment of devices whose token was accepted in the other one, for the next few batches.
    ///
    /// If the progress cannot be stored afterwards, the same batches are read again. This changes and counts nothing
    /// twice.
    private func fix(after former: BatchID?, of plan: CampaignFanOut) async throws -> CampaignFanOut {
        let store = self.context.store
        let status = try await store.notification(self.campaign.id.notification)
        let batches = (status?.batches ?? []).map(\.id).filter { batch in former.map { batch > $0 } ?? true }
            .prefix(Self.fixedBatches)
        let outcomes = try await store.outcomes(of: Array(batches))
        var fixed = 0
        for id in batches {
            guard let batch = try await store.batch(id), let outcomes = outcomes[id] else { continue }
            let accepted = batch.targets.enumerated().filter { outcomes.outcome(at: $0.offset) == .delivered }
            fixed += try await store.fixEnvironments(
                accepted.map(\.element),
                of: self.campaign.app,
                registeredUntil: self.campaign.planningTime
            )
        }
        let next = plan.fixing(through: batches.last, count: fixed)
        try await self.store(FanOutStep(campaign: self.campaign.id, plan: next))
        return next
    }
}

extension Clock where Duration == Swift.Duration {
    fileprivate func stopwatch() -> @Sendable () -> Duration {
        let start = self.now
        return { start.duration(to: self.now) }
    }
}

/// Counts the audience of a campaign concurrently with its fan-out, because the count can take long, or fail.
private final class AudienceCountTask: Sendable {
    private let found = Mutex<Int?>(nil)
    private let ask: AsyncStream<Int64>.Continuation
    private let requests: AsyncStream<Int64>

    init() {
        (self.requests, self.ask) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The number of devices; `nil` until they are counted.
    var count: Int? { self.found.withLock { $0 } }

    /// Requests the count of the devices up to a position; only the first call has an effect, also if the count fails.
    func begin(through place: Int64) {
        self.ask.yield(place)
        self.ask.finish()
    }

    /// Counts on request, by `count`, which returns `nil` if it fails; returns whether it succeeded.
    func run(_ count: (Int64) async -> Int?) async -> Bool {
        for await place in self.requests {
            let result = await count(place)
            self.found.withLock { $0 = result }
        }
        return self.count != nil
    }
}
