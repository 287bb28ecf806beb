// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Cron
import PushModel
import PushStore
import StoreTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Stores: jobs", .timeLimit(.minutes(20)))
struct JobTests {
    @Test(
        "a job is kept as it was put, and defined anew without losing an occurrence",
        arguments: TestStoreBackend.allCases
    )
    func put(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addSampleApp()
            let definition = try JobSamples.ending(
                JobPolicy(
                    overlap: .bufferOne,
                    misfire: .runAll(within: 7200),
                    jitterSeconds: 30,
                    maxRetries: 2,
                    timeoutSeconds: 9
                )
            )
            let job = Job(id: JobSamples.id, app: StoreFixtures.app, definition: definition, now: StoreFixtures.now)
            let status = JobStatus(job: job, lastRun: nil)
            #expect(job.nextRunAt == StoreFixtures.after(60), "the first occurrence")
            let put = try await store.put(definition)
            #expect(put == .created(status), "the answer")
            let jobStatus = try await store.status()
            #expect(jobStatus == status, "the job")
            let nextTime = try await store.nextJobTime(of: .builtIn)
            #expect(nextTime == job.dueAt, "when there is something to do")
            let same = try await store.put(definition, now: StoreFixtures.after(3600))
            #expect(same == .changed(status), "the same again")
            var other = definition
            other.schedule = try .every(.seconds(90), from: StoreFixtures.now)
            _ = try await store.put(other, now: StoreFixtures.after(3600.5))
            let changed = try await store.status().job
            #expect(changed.definition == other, "the definition")
            #expect(changed.nextRunAt == StoreFixtures.after(3690), "the first occurrence of another schedule")
            #expect(changed.updatedAt == StoreFixtures.after(3600.5), "when it was changed")
            #expect(changed.createdAt == StoreFixtures.now, "when it was made")
        }
    }

    @Test("jobs are listed by their names, and removed with their runs", arguments: TestStoreBackend.allCases)
    func list(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            for name in ["c", "a", "b"] { try await store.addJob(JobSamples.greeting(), JobID(unchecked: name)) }
            let first = try await store.jobs(of: StoreFixtures.app, after: nil, limit: 2)
            #expect(first.elements.map(\.job.id) == ["a", "b"], "the first page")
            let second = try await store.jobs(of: StoreFixtures.app, after: first.next, limit: 2)
            #expect(second.elements.map(\.job.id) == ["c"], "the second page")
            #expect(second.next == nil, "a third page")
            let claimed = try await store.claimRuns(after: 60)
            #expect(claimed.map(\.job.id).sorted() == ["a", "b", "c"], "the runs")
            #expect(try await store.deleteJob("a", of: StoreFixtures.app), "the job is not removed")
            #expect(try await !store.deleteJob("a", of: StoreFixtures.app), "the job is removed twice")
            let history = try await store.history("a")
            #expect(history == [], "the runs of a removed job")
            let gone = try #require(claimed.first { $0.job.id == "a" }, "the run")
            try await expectError(.leaseLost, "a step without a lease") { _ = try await store.step(gone, after: 61) }
            try await store.deleteApp(StoreFixtures.app)
            #expect(try await store.job("b", of: StoreFixtures.app) == nil, "a job of a removed app")
            #expect(try await store.nextJobTime(of: .builtIn) == nil, "what is left to do")
            try await expectError(.notFound, "a job of no app") { _ = try await store.put(JobSamples.greeting()) }
        }
    }

    @Test("a job that a program does is defined, and claimed, by that alone", arguments: TestStoreBackend.allCases)
    func code(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addJob(JobSamples.code())
            try await store.addJob(JobSamples.greeting(), "greeting")
            let refused = try await store.put(JobSamples.greeting())
            #expect(refused == .refused(.isCode), "a definition over code")
            let put = try await store.put(JobSamples.code(), "greeting")
            #expect(put == .refused(.isNotCode), "code over it")
            let ids = try await store.claimRuns(after: 60).map(\.job.id)
            #expect(ids == ["greeting"], "what schedulers get")
            let scope = JobSelection.code(StoreFixtures.app, [JobSamples.id, "other"])
            let nextTime = try await store.nextJobTime(of: scope)
            #expect(nextTime == StoreFixtures.after(60), "when code is due")
            let others = JobSelection.code(StoreFixtures.otherApp, [JobSamples.id])
            let runs = try await store.claimRuns(after: 60, scope: others)
            #expect(runs == [], "what another program gets")
            let claimed = try await store.claimRun(after: 61, scope: scope)
            #expect(claimed.job.id == JobSamples.id, "what the program gets")
            let end = JobRunResult(.succeeded, processedCount: 7, message: "fine")
            let run = try await store.finishJobRun(claimed.lease, as: end, now: StoreFixtures.after(62))
            #expect(run.state == .succeeded, "the state")
            #expect(run.processedCount == 7, "what was done")
            let history = try await store.history()
            #expect(history == [run], "the history")
        }
    }

    @Test("a paused job lets its occurrences pass, and what waits is left out", arguments: TestStoreBackend.allCases)
    func pause(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addJob(JobSamples.greeting(JobPolicy(overlap: .bufferOne)))
            let claimed = try await store.claimRun(after: 60)
            try await store.extendJobLease(claimed.lease, leaseDuration: .seconds(80), now: StoreFixtures.after(60))
            let waiting = try await store.claimRuns(after: 121)
            #expect(waiting == [], "what waits for its turn")
            let paused = try await store.pauseJob(JobSamples.id, of: StoreFixtures.app, now: StoreFixtures.after(122))
            #expect(paused?.job.isPaused == true, "whether it is paused")
            let states = try await store.history().map(\.state)
            #expect(states == [.skipped, .running], "the runs")
            let skip = try await store.history().first?.skip
            #expect(skip == .paused, "why")
            let goingOn = try await store.claimRuns(after: 600, by: StoreFixtures.otherWorker)
            #expect(goingOn.map(\.run.id) == [claimed.run.id], "what goes on")
            let resumed = try await store.resumeJob(JobSamples.id, of: StoreFixtures.app, now: StoreFixtures.after(700))
            #expect(resumed?.job.nextRunAt == StoreFixtures.after(720), "the next occurrence")
            let unknown = try await store.pauseJob("other", of: StoreFixtures.app, now: StoreFixtures.now)
            #expect(unknown == nil, "a job that does not exist")
        }
    }

    @Test(
        "a run that is asked for comes at once, also of a paused job, and never beside another",
        arguments: TestStoreBackend.allCases
    )
    func runNow(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            try await store.addJob(JobSamples.greeting(), isPaused: true)
            #expect(try await store.nextJobTime(of: .builtIn) == nil, "when a paused job is due")
            var changes = store.changes().makeAsyncIterator()
            let run = try await store.runJob(JobSamples.id, of: StoreFixtures.app, now: StoreFixtures.after(5))
            guard case .made(let made)? = run else {
                Issue.record("\(String(describing: run))")
                return
            }
            let next = await changes.next()
            #expect(next == .jobsDue, "the signal")
            #expect(made.trigger == .manual, "the trigger")
            let busy = try await store.runJob(JobSamples.id, of: StoreFixtures.app, now: StoreFixtures.after(6))
            #expect(busy == .busy, "a second one")
            let claimed = try await store.claimRun(after: 7)
            #expect(claimed.run.id == made.id, "the run")
            let state = try await store.carryOut(claimed, after: 8).state
            #expect(state == .succeeded, "what it came to")
            let foundID = try await store.status().lastRun?.id
            #expect(foundID == made.id, "the last run")
            let unknown = try await store.runJob("other", of: StoreFixtures.app, now: StoreFixtures.now)
            #expect(unknown == nil, "a job that does not exist")
        }
    }
}
