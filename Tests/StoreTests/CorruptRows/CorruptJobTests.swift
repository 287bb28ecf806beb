// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import StoreTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Stores: a job that is corrupt", .timeLimit(.minutes(20)))
struct CorruptJobTests {
    private static let other: JobID = "other"

    @Test("run that is open fails, and its job and the others go on", arguments: TestStoreBackend.allCases)
    func openRun(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            try await store.addJob(JobSamples.code(JobPolicy(overlap: .bufferOne)))
            try await store.addJob(JobSamples.code(), Self.other)
            let scope = JobSelection.code(StoreFixtures.app, [JobSamples.id, Self.other])
            for seconds in [60.0, 120] {
                let claimed = try await store.claimRuns(after: seconds, scope: scope)
                #expect(claimed.map(\.run.dueAt) == [60, 60].map(StoreFixtures.after), "what can be claimed")
            }
            // One waits for it.
            let number = try #require(try await store.history().last, "the run").number
            try await damage("UPDATE @job_runs SET state = -1 WHERE number = \(number)")
            let claimed = try await store.claimRuns(after: 180, scope: scope)
            #expect(Set(claimed.map(\.job.id)) == [JobSamples.id, Self.other], "whose runs can be claimed then")
            let next = claimed.first { $0.job.id == JobSamples.id }?.run.dueAt
            #expect(next == StoreFixtures.after(120), "which one it is")
            let failed = try #require(try await store.history().first { $0.number == number }, "the damaged run")
            #expect(failed.state == .failed, "what it came to")
            #expect(failed.message == JobRow.damagedRunReason, "why")
            #expect(failed.endedAt == StoreFixtures.after(180), "when it ended")
        }
    }

    @Test("run of a job that is due no more lets what waited for it begin", arguments: TestStoreBackend.allCases)
    func runOfQueue(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let first = try await store.addQueue()
            try await damage("UPDATE @job_runs SET state = -1 WHERE number = \(first.claimed.run.number)")
            let late = StoreFixtures.after(20)
            let claim = try await store.claimJobRuns(
                of: first.claimed.scope,
                limit: 10,
                worker: StoreFixtures.worker,
                leaseDuration: JobSamples.lease,
                now: late
            )
            #expect(claim == JobClaim(hasMore: true), "what is claimed by finding it out")
            let nextTime = try await store.nextJobTime(of: first.claimed.scope)
            #expect(nextTime == late, "when there is something to do")
            let next = try await store.claimRun(after: 20, scope: first.claimed.scope)
            #expect(next.run.id == first.waiting, "what begins then")
            let states = try await store.history().map(\.state)
            #expect(states == [.running, .failed], "the runs, the youngest first")
        }
    }

    @Test(
        "run of a job that is due no more lets what waited for it begin when another is asked for",
        arguments: TestStoreBackend.allCases
    )
    func runOfQueueBesideAnother(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let first = try await store.addQueue()
            try await damage("UPDATE @job_runs SET state = -1 WHERE number = \(first.claimed.run.number)")
            let asked = try await store.runJob(JobSamples.id, of: StoreFixtures.app, now: StoreFixtures.after(5))
            guard case .made(let last)? = asked else {
                Issue.record("asking came to \(String(describing: asked))")
                return
            }
            let next = try await store.claimRun(after: 5, scope: first.claimed.scope)
            #expect(next.run.id == first.waiting, "what begins then")
            try await store.finishJobRun(next.lease, as: JobRunResult(.succeeded), now: StoreFixtures.after(6))
            let end = try await store.claimRun(after: 6, scope: first.claimed.scope)
            #expect(end.run.id == last.id, "what begins behind it")
        }
    }

    @Test(
        "definition leaves the job out of the list of all, which goes on behind it",
        arguments: TestStoreBackend.allCases
    )
    func definition(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            for id in ["a", "b", "c"] as [JobID] { try await store.addJob(JobSamples.code(), id) }
            try await damage("UPDATE @jobs SET definition = '[' WHERE id = 'b'")
            let all = try await store.jobs(of: StoreFixtures.app, after: nil, limit: 10)
            #expect(all.elements.map(\.job.id) == ["a", "c"], "the jobs")
            #expect(all.next == nil, "what is behind them")
            var pages: [[JobID]] = []
            var cursor: JobID?
            repeat {
                let page = try await store.jobs(of: StoreFixtures.app, after: cursor, limit: 1)
                pages.append(page.elements.map(\.job.id))
                cursor = page.next
            } while cursor != nil
            #expect(pages == [["a"], [], ["c"]], "page by page")
            try await expectError(.corrupt, "asking for it alone") { try await store.status("b") }
        }
    }

    @Test(
        "run that has ended keeps its job from nothing, nor from being looked at",
        arguments: TestStoreBackend.allCases
    )
    func endedRun(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            try await store.addJob(JobSamples.greeting(JobPolicy(misfire: .skip)))
            _ = try await store.claimRuns(after: 600)
            try await damage("UPDATE @job_runs SET state = 9")
            #expect(try await store.status().lastRun == nil, "the last run")
            // An occurrence that is left out looks at the last run.
            let claimed = try await store.claimRuns(after: 1200)
            #expect(claimed.map(\.run.dueAt) == [StoreFixtures.after(1200)], "what can be claimed")
        }
    }

    @Test("run is left out of the history, which goes on behind it", arguments: TestStoreBackend.allCases)
    func history(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            try await store.addJob(JobSamples.greeting())
            for seconds in [60.0, 120, 180] {
                _ = try await store.carryOut(try await store.claimRun(after: seconds), after: seconds)
            }
            let numbers = try await store.history().map(\.number)
            try await damage("UPDATE @job_runs SET state = 9 WHERE number = \(numbers[1])")
            let runsNumbers = try await store.history().map(\.number)
            #expect(runsNumbers == [numbers[0], numbers[2]], "the runs")
            var pages: [[Int64]] = []
            var cursor: Int64?
            repeat {
                let page = try await store.jobRuns(of: JobSamples.id, app: StoreFixtures.app, after: cursor, limit: 1)
                pages.append(page.elements.map(\.number))
                cursor = page.next
            } while cursor != nil
            #expect(pages == [[numbers[0]], [], [numbers[2]]], "page by page")
        }
    }

    @Test(
        "definition is left for an hour, and its job goes on when it was mended",
        arguments: TestStoreBackend.allCases
    )
    func repairedDefinition(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            let definition = try JobSamples.code()
            try await store.addJob(definition)
            try await store.addJob(definition, Self.other)
            let scope = JobSelection.code(StoreFixtures.app, [JobSamples.id, Self.other])
            try await damage("UPDATE @jobs SET definition = '[' || definition WHERE id = '\(JobSamples.id.rawValue)'")
            let first = try await store.claimRuns(after: 60, scope: scope)
            #expect(first.map(\.job.id) == [Self.other], "whose runs can be claimed")
            try await damage(
                "UPDATE @jobs SET definition = substr(definition, 2) WHERE id = '\(JobSamples.id.rawValue)'"
            )
            let early = try await store.claimRuns(after: 3659, scope: scope)
            #expect(early.allSatisfy { $0.job.id == Self.other }, "it is looked at too early")
            let late = try await store.claimRuns(after: 3660, scope: scope)
            #expect(late.contains { $0.job.id == JobSamples.id }, "it is not run when it was mended")
        }
    }

    @Test("definition is replaced by deleting the job and putting it anew", arguments: TestStoreBackend.allCases)
    func replacedDefinition(kind: TestStoreBackend) async throws {
        try await withStoreAndDatabase(kind) { store, damage in
            try await store.addJob(JobSamples.code())
            try await damage("UPDATE @jobs SET definition = '['")
            #expect(try await store.deleteJob(JobSamples.id, of: StoreFixtures.app), "there was none")
            try await store.addJob(JobSamples.code())
            let scope = JobSelection.code(StoreFixtures.app, [JobSamples.id])
            _ = try await store.claimRun(after: 60, scope: scope)
        }
    }
}

extension JobStore where Self: BatchStore & AppStore {
    /// Adds a job that no schedule calls, one run of which has begun while another one waits for it.
    fileprivate func addQueue() async throws -> (claimed: ClaimedJobRun, waiting: JobRunID) {
        try await self.addJob(JobSamples.code(JobPolicy(overlap: .bufferOne)), isPaused: true)
        _ = try await self.runJob(JobSamples.id, of: StoreFixtures.app, now: StoreFixtures.now)
        let claimed = try await self.claimRun(after: 0, scope: .code(StoreFixtures.app, [JobSamples.id]))
        let asked = try await self.runJob(JobSamples.id, of: StoreFixtures.app, now: StoreFixtures.now)
        let waiting: JobRun? = if case .made(let run)? = asked { run } else { nil }
        return (claimed, try #require(waiting, "asking came to \(String(describing: asked))").id)
    }
}

extension ClaimedJobRun {
    /// Its job alone.
    fileprivate var scope: JobSelection { .code(self.job.app, [self.job.id]) }
}
