// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Cron
import Foundation
import Logging
import PushModel
import PushStore
import Scheduling
import ServiceLifecycle
import StoreTesting
import Synchronization
import Telemetry
import Testing

@Suite("The scheduler of jobs", .timeLimit(.minutes(20)))
struct JobSchedulerTests {
    private static let code = JobSelection.code(SchedulingStage.app, [JobSamples.id])

    /// Runs a scheduler beside a body, and shuts it down gracefully; an error cancels it.
    private func schedule(
        _ stage: SchedulingStage,
        on store: (any PushStore)? = nil,
        scope: JobSelection = .builtIn,
        handler: any JobHandler = NoOpJobHandler(),
        metrics: MetricsRegistry = MetricsRegistry(),
        worker: WorkerID = "jobs-1",
        _ body: () async throws -> Void
    ) async throws {
        let scheduler = JobScheduler(
            store: store ?? stage.store,
            scope: scope,
            handler: handler,
            configuration: JobSchedulerConfiguration(worker: worker),
            clock: stage.clock,
            now: { [now = stage.now] in now.date },
            metrics: metrics,
            logger: .silent
        )
        let services = ServiceGroup(
            configuration: ServiceGroupConfiguration(services: [scheduler], logger: .silent)
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            try await body()
            await services.triggerGracefulShutdown()
            try await group.waitForAll()
        }
    }

    private func put(_ definition: JobDefinition, _ stage: SchedulingStage) async throws {
        _ = try await stage.store.put(definition, now: stage.now.date)
    }

    /// Waits until the newest run of the sample job has ended.
    private func end(
        _ stage: SchedulingStage,
        _ changes: inout AsyncStream<StoreChange>.Iterator
    ) async throws -> JobRun {
        while true {
            if let run = try await stage.store.status().lastRun, run.state.isFinal { return run }
            guard await changes.next() != nil else { throw StageError.missing("the end of the run") }
        }
    }

    @Test("does at once what was missed while nobody ran")
    func missed() async throws {
        try await SchedulingStage.open { stage in
            try await self.put(JobSamples.greeting(), stage)
            stage.now.advance(by: .seconds(615))
            var changes = stage.store.changes().makeAsyncIterator()
            let metrics = MetricsRegistry()
            try await self.schedule(stage, metrics: metrics) {
                let run = try await self.end(stage, &changes)
                #expect(run.state == .succeeded)
                #expect(run.occurrences == 10)
                let campaign = try #require(run.campaign)
                #expect(try await stage.store.campaign(campaign) != nil)
            }
            let text = try PrometheusText(metrics.text())
            #expect(text.value("apus_jobs_runs_total", ["type": "notification", "result": "succeeded"]) == 1)
            #expect(text.value("apus_jobs_processed_total", ["type": "notification"]) == 1)
        }
    }

    @Test("runs a job when it is due, woken by its alarm, and not before")
    func due() async throws {
        try await SchedulingStage.open { stage in
            try await self.put(JobSamples.greeting(), stage)
            stage.now.advance(by: .milliseconds(59_750))
            var changes = stage.store.changes().makeAsyncIterator()
            try await self.schedule(stage) { [stage] in
                // The alarm sleeps.
                try await stage.clock.timer(dueIn: .milliseconds(250))
                let early = try await stage.store.status().lastRun
                #expect(early == nil)
                stage.now.advance(by: .milliseconds(250))
                stage.clock.advance(by: .milliseconds(250))
                let run = try await self.end(stage, &changes)
                #expect(run.state == .succeeded)
            }
        }
    }

    @Test("changes many activities page by page, and another one goes on where the first was killed")
    func killed() async throws {
        try await SchedulingStage.open { stage in
            // At the same time, so that they share commits.
            try await withThrowingTaskGroup(of: Void.self) { [stage] group in
                for number in 0..<1100 {
                    let id = ActivityID(unchecked: "lesson \(number)")
                    let instants = ["endsAt": stage.now.date.addingTimeInterval(900)] as [InstantName: Date]
                    let activity = try ActivityFixtures.activity(id, instants: instants)
                    group.addTask {
                        _ = try await stage.store.createActivity(activity, startingOn: [], now: stage.now.date)
                    }
                }
                try await group.waitForAll()
            }
            try await self.put(JobSamples.ending(), stage)
            stage.now.advance(by: .seconds(60))
            let dying = MortalStore(stage.store, steps: 2, arrives: true)
            try await self.schedule(stage, on: dying) {
                for await _ in dying.death {}
            }
            let half = try #require(try await stage.store.status().lastRun)
            #expect(half.processedCount == 1000)
            #expect(half.state == .running)
            stage.now.advance(by: .seconds(15))
            var changes = stage.store.changes().makeAsyncIterator()
            try await self.schedule(stage, worker: "jobs-2") {
                let run = try await self.end(stage, &changes)
                #expect(run.state == .succeeded)
                #expect(run.processedCount == 1100)
                #expect(run.attempt == 2)
            }
            for id in ["lesson 0", "lesson 999", "lesson 1000", "lesson 1099"] as [ActivityID] {
                #expect(try await stage.store.activity(id, of: SchedulingStage.app)?.lifecycle.version == 2)
            }
        }
    }

    @Test("a handler keeps its lease as long as it works, and its result is booked")
    func handler() async throws {
        try await SchedulingStage.open { stage in
            try await self.put(JobSamples.code(), stage)
            stage.now.advance(by: .seconds(60))
            var changes = stage.store.changes().makeAsyncIterator()
            let handler = SlowHandler()
            try await self.schedule(stage, scope: Self.code, handler: handler) { [stage] in
                try await handler.begun.nextElement()
                // The keeper of the lease sleeps again once it has extended that.
                for _ in 0..<6 {
                    try await stage.clock.fire(timerDueIn: .seconds(5), alsoAdvancing: stage.now)
                }
                try await stage.clock.timer(dueIn: .seconds(5))
                let others = try await stage.store.claimJobRuns(
                    of: Self.code,
                    limit: 1,
                    worker: "jobs-2",
                    leaseDuration: .seconds(15),
                    now: stage.now.date
                )
                #expect(others.runs.isEmpty)
                handler.finish(JobRunResult(.succeeded, processedCount: 3, message: "done"))
                let run = try await self.end(stage, &changes)
                #expect(run.state == .succeeded)
                #expect(run.processedCount == 3)
                #expect(run.message == "done")
            }
        }
    }

    @Test("a handler that does not end by its deadline has failed")
    func deadline() async throws {
        try await SchedulingStage.open { stage in
            try await self.put(JobSamples.code(JobPolicy(timeoutSeconds: 3)), stage)
            stage.now.advance(by: .seconds(60))
            var changes = stage.store.changes().makeAsyncIterator()
            let handler = SlowHandler()
            try await self.schedule(stage, scope: Self.code, handler: handler) { [stage] in
                try await handler.begun.nextElement()
                try await stage.clock.fire(timerDueIn: .seconds(3))
                let run = try await self.end(stage, &changes)
                #expect(run.state == .failed)
                #expect(run.message?.contains("3 s") == true)
            }
        }
    }

    @Test("a handler that goes on behind its deadline keeps its run until it returns: nobody does it beside it")
    func late() async throws {
        try await SchedulingStage.open { stage in
            try await self.put(JobSamples.code(JobPolicy(timeoutSeconds: 3)), stage)
            stage.now.advance(by: .seconds(60))
            var changes = stage.store.changes().makeAsyncIterator()
            let handler = StubbornHandler()
            try await self.schedule(stage, scope: Self.code, handler: handler) { [stage] in
                // The shutdown waits for the handler, also that of a test that has failed.
                defer { handler.finish() }
                try await handler.begun.nextElement()
                // The deadline, and the keeper of the lease.
                try await stage.clock.timer(dueIn: .seconds(5))
                try await stage.clock.fire(timerDueIn: .seconds(3), alsoAdvancing: stage.now)
                try await handler.cancelled.nextElement()
                // Longer than the lease, which is extended every 5 seconds.
                for seconds in [2, 5, 5, 5, 5, 5] {
                    try await stage.clock.fire(timerDueIn: .seconds(seconds), alsoAdvancing: stage.now)
                }
                try await stage.clock.timer(dueIn: .seconds(5))
                let others = try await stage.store.claimJobRuns(
                    of: Self.code,
                    limit: 1,
                    worker: "jobs-2",
                    leaseDuration: .seconds(15),
                    now: stage.now.date
                )
                #expect(others.runs.isEmpty)
                handler.finish()
                let run = try await self.end(stage, &changes)
                #expect(run.state == .failed)
                #expect(run.attempt == 1)
                #expect(run.message?.contains("3 s") == true)
            }
        }
    }

    @Test("a handler that cannot ask the store makes another attempt when the lease has lapsed, without a retry")
    func blinking() async throws {
        try await SchedulingStage.open { stage in
            // So that no other occurrence comes due meanwhile.
            try await self.put(JobDefinition(schedule: try .cron("@yearly"), work: .code), stage)
            _ = try await stage.store.runJob(JobSamples.id, of: SchedulingStage.app, now: stage.now.date)
            let handler = BlinkingHandler()
            var changes = stage.store.changes().makeAsyncIterator()
            try await self.schedule(stage, scope: Self.code, handler: handler) { [stage] in
                try await handler.blinks.nextElement()
                // The lease has expired when the poll claims.
                stage.now.advance(by: .seconds(15))
                try await stage.clock.fire(timerDueIn: .seconds(1))
                let run = try await self.end(stage, &changes)
                #expect(run.state == .succeeded)
                #expect(run.attempt == 2)
            }
        }
    }

    @Test("a scheduler without a handler fails what it cannot do, and goes on with the rest")
    func withoutHandler() async throws {
        try await SchedulingStage.open { stage in
            let definition = JobDefinition(
                schedule: try .cron("* * * * *"),
                work: .webhook(JobWebhook(webhook: "wh_1"))
            )
            _ = try await stage.store.put(definition, "call", now: stage.now.date)
            try await self.put(JobSamples.greeting(), stage)
            stage.now.advance(by: .seconds(60))
            var changes = stage.store.changes().makeAsyncIterator()
            try await self.schedule(stage) {
                #expect(try await self.end(stage, &changes).state == .succeeded)
                while try await stage.store.status("call").lastRun?.state != .failed {
                    guard await changes.next() != nil else { throw StageError.missing("the failure") }
                }
            }
        }
    }
}

/// Works until it is told what its work came to.
private final class SlowHandler: JobHandler {
    let begun: AsyncStream<Void>
    private let begin: AsyncStream<Void>.Continuation
    private let ends: AsyncStream<JobRunResult>
    private let end: AsyncStream<JobRunResult>.Continuation

    init() {
        (self.begun, self.begin) = AsyncStream.makeStream()
        (self.ends, self.end) = AsyncStream.makeStream()
    }

    func finish(_ end: JobRunResult) { self.end.yield(end) }

    func run(_ claimed: ClaimedJobRun) async -> JobRunResult {
        self.begin.yield()
        for await end in self.ends { return end }
        return JobRunResult(.failed, message: "cancelled")
    }
}

/// Works until it is told to end, whether or not it is cancelled.
private final class StubbornHandler: JobHandler {
    let begun: AsyncStream<Void>
    private let begin: AsyncStream<Void>.Continuation
    let cancelled: AsyncStream<Void>
    private let cancel: AsyncStream<Void>.Continuation
    private let ended = Latch()

    init() {
        (self.begun, self.begin) = AsyncStream.makeStream()
        (self.cancelled, self.cancel) = AsyncStream.makeStream()
    }

    func finish() { self.ended.open() }

    func run(_ claimed: ClaimedJobRun) async -> JobRunResult {
        self.begin.yield()
        await withTaskCancellationHandler {
            await self.ended.wait()
        } onCancel: {
            self.cancel.yield()
        }
        return JobRunResult(.succeeded, message: "too late")
    }
}

/// What one waits for until it is opened, also if one is cancelled.
private final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func open() {
        let waiters = self.state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = self.state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

/// Cannot ask the store at its first attempt.
private final class BlinkingHandler: JobHandler {
    let blinks: AsyncStream<Void>
    private let blink: AsyncStream<Void>.Continuation

    init() { (self.blinks, self.blink) = AsyncStream.makeStream() }

    func run(_ claimed: ClaimedJobRun) async throws -> JobRunResult {
        guard claimed.run.attempt > 1 else {
            self.blink.yield()
            throw StoreError(code: .unavailable, message: "for a test")
        }
        return JobRunResult(.succeeded)
    }
}
