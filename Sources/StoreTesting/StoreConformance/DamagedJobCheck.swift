// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
package import PushStore

/// What a store makes of jobs and runs that cannot be read, as a list of checks that its tests run.
///
/// How something is damaged is said in SQL, which the tests bring into the form of their store: `@table` stands for a table.
package struct DamagedJobCheck: Sendable, CustomStringConvertible {
    /// Runs a statement beside the store.
    package typealias Damage = @Sendable (String) async throws -> Void

    package let description: String

    private let body: @Sendable (any PushStore, Damage) async throws -> Void

    private init(_ name: String, _ body: @escaping @Sendable (any PushStore, Damage) async throws -> Void) {
        self.description = name
        self.body = body
    }

    /// Runs the check on an empty store that nobody else uses.
    package func run(on store: any PushStore, damage: @escaping Damage) async throws {
        try await self.body(store, damage)
    }

    private static let other: JobID = "other"

    /// All checks.
    package static let all = [
        DamagedJobCheck("run that is open fails, and its job and the others go on") { store, damage in
            try await store.addJob(JobSamples.code(JobPolicy(overlap: .queue)))
            try await store.addJob(JobSamples.code(), Self.other)
            let scope = JobScope.code(StoreSamples.app, [JobSamples.id, Self.other])
            for seconds in [60.0, 120] {
                let claimed = try await store.claimRuns(after: seconds, scope: scope)
                try expectEqual(claimed.map(\.run.dueAt), [60, 60].map(StoreSamples.after), "what can be claimed")
            }
            // One waits for it.
            let number = try require(try await store.history().last, "the run").number
            try await damage("UPDATE @job_runs SET state = -1 WHERE number = \(number)")
            let claimed = try await store.claimRuns(after: 180, scope: scope)
            try expectEqual(Set(claimed.map(\.job.id)), [JobSamples.id, Self.other], "whose runs can be claimed then")
            let next = claimed.first { $0.job.id == JobSamples.id }?.run.dueAt
            try expectEqual(next, StoreSamples.after(120), "which one it is")
            let failed = try require(try await store.history().first { $0.number == number }, "the damaged run")
            try expectEqual(failed.state, .failed, "what it came to")
            try expectEqual(failed.message, JobRow.damagedRunReason, "why")
            try expectEqual(failed.endedAt, StoreSamples.after(180), "when it ended")
        },
        DamagedJobCheck("run of a job that is due no more lets what waited for it begin") { store, damage in
            let first = try await store.addQueue()
            try await damage("UPDATE @job_runs SET state = -1 WHERE number = \(first.claimed.run.number)")
            let late = StoreSamples.after(20)
            let claim = try await store.claimJobRuns(
                of: first.claimed.scope,
                limit: 10,
                worker: StoreSamples.worker,
                leaseDuration: JobSamples.lease,
                now: late
            )
            try expectEqual(claim, JobClaim(hasMore: true), "what is claimed by finding it out")
            try expectEqual(try await store.nextJobTime(of: first.claimed.scope), late, "when there is something to do")
            let next = try await store.claimRun(after: 20, scope: first.claimed.scope)
            try expectEqual(next.run.id, first.waiting, "what begins then")
            let states = try await store.history().map(\.state)
            try expectEqual(states, [.running, .failed], "the runs, the youngest first")
        },
        DamagedJobCheck("run of a job that is due no more lets what waited for it begin when another is asked for") {
            store,
            damage in
            let first = try await store.addQueue()
            try await damage("UPDATE @job_runs SET state = -1 WHERE number = \(first.claimed.run.number)")
            let asked = try await store.runJob(JobSamples.id, of: StoreSamples.app, now: StoreSamples.after(5))
            guard case .made(let last)? = asked else {
                throw ConformanceFailure(
                    message: "asking came to \(String(describing: asked))",
                    location: "DamagedJobCheck"
                )
            }
            let next = try await store.claimRun(after: 5, scope: first.claimed.scope)
            try expectEqual(next.run.id, first.waiting, "what begins then")
            try await store.finishJobRun(next.lease, as: JobRunEnd(.succeeded), now: StoreSamples.after(6))
            let end = try await store.claimRun(after: 6, scope: first.claimed.scope)
            try expectEqual(end.run.id, last.id, "what begins behind it")
        },
        DamagedJobCheck("definition leaves the job out of the list of all, which goes on behind it") { store, damage in
            for id in ["a", "b", "c"] as [JobID] { try await store.addJob(JobSamples.code(), id) }
            try await damage("UPDATE @jobs SET definition = '[' WHERE id = 'b'")
            let all = try await store.jobs(of: StoreSamples.app, after: nil, limit: 10)
            try expectEqual(all.elements.map(\.job.id), ["a", "c"], "the jobs")
            try expectEqual(all.next, nil, "what is behind them")
            var pages: [[JobID]] = []
            var cursor: JobID?
            repeat {
                let page = try await store.jobs(of: StoreSamples.app, after: cursor, limit: 1)
                pages.append(page.elements.map(\.job.id))
                cursor = page.next
            } while cursor != nil
            try expectEqual(pages, [["a"], [], ["c"]], "page by page")
            try await expectError(.corrupt, "asking for it alone") { try await store.status("b") }
        },
        DamagedJobCheck("run that has ended keeps its job from nothing, nor from being looked at") { store, damage in
            try await store.addJob(JobSamples.greeting(JobPolicy(misfire: .skip)))
            _ = try await store.claimRuns(after: 600)
            try await damage("UPDATE @job_runs SET state = 9")
            try expectEqual(try await store.status().lastRun, nil, "the last run")
            // An occurrence that is left out looks at the last run.
            let claimed = try await store.claimRuns(after: 1200)
            try expectEqual(claimed.map(\.run.dueAt), [StoreSamples.after(1200)], "what can be claimed")
        },
        DamagedJobCheck("run is left out of the history, which goes on behind it") { store, damage in
            try await store.addJob(JobSamples.greeting())
            for seconds in [60.0, 120, 180] {
                _ = try await store.carryOut(try await store.claimRun(after: seconds), after: seconds)
            }
            let numbers = try await store.history().map(\.number)
            try await damage("UPDATE @job_runs SET state = 9 WHERE number = \(numbers[1])")
            try expectEqual(try await store.history().map(\.number), [numbers[0], numbers[2]], "the runs")
            var pages: [[Int64]] = []
            var cursor: Int64?
            repeat {
                let page = try await store.jobRuns(of: JobSamples.id, app: StoreSamples.app, after: cursor, limit: 1)
                pages.append(page.elements.map(\.number))
                cursor = page.next
            } while cursor != nil
            try expectEqual(pages, [[numbers[0]], [], [numbers[2]]], "page by page")
        },
        DamagedJobCheck("definition is left for an hour, and its job goes on when it was mended") { store, damage in
            let definition = try JobSamples.code()
            try await store.addJob(definition)
            try await store.addJob(definition, Self.other)
            let scope = JobScope.code(StoreSamples.app, [JobSamples.id, Self.other])
            try await damage("UPDATE @jobs SET definition = '[' || definition WHERE id = '\(JobSamples.id.rawValue)'")
            let first = try await store.claimRuns(after: 60, scope: scope)
            try expectEqual(first.map(\.job.id), [Self.other], "whose runs can be claimed")
            try await damage(
                "UPDATE @jobs SET definition = substr(definition, 2) WHERE id = '\(JobSamples.id.rawValue)'"
            )
            let early = try await store.claimRuns(after: 3659, scope: scope)
            try expect(early.allSatisfy { $0.job.id == Self.other }, "it is looked at too early")
            let late = try await store.claimRuns(after: 3660, scope: scope)
            try expect(late.contains { $0.job.id == JobSamples.id }, "it is not run when it was mended")
        },
        DamagedJobCheck("definition is replaced by deleting the job and putting it anew") { store, damage in
            try await store.addJob(JobSamples.code())
            try await damage("UPDATE @jobs SET definition = '['")
            try expect(try await store.deleteJob(JobSamples.id, of: StoreSamples.app), "there was none")
            try await store.addJob(JobSamples.code())
            let scope = JobScope.code(StoreSamples.app, [JobSamples.id])
            _ = try await store.claimRun(after: 60, scope: scope)
        },
    ]
}

extension JobStore where Self: BatchStore & AppStore {
    /// Adds a job that no schedule calls, one run of which has begun while another one waits for it.
    fileprivate func addQueue() async throws -> (claimed: ClaimedJobRun, waiting: JobRunID) {
        try await self.addJob(JobSamples.code(JobPolicy(overlap: .queue)), isPaused: true)
        _ = try await self.runJob(JobSamples.id, of: StoreSamples.app, now: StoreSamples.now)
        let claimed = try await self.claimRun(after: 0, scope: .code(StoreSamples.app, [JobSamples.id]))
        let asked = try await self.runJob(JobSamples.id, of: StoreSamples.app, now: StoreSamples.now)
        guard case .made(let waiting)? = asked else {
            throw ConformanceFailure(
                message: "asking came to \(String(describing: asked))",
                location: "DamagedJobCheck"
            )
        }
        return (claimed, waiting.id)
    }
}

extension ClaimedJobRun {
    /// Its job alone.
    fileprivate var scope: JobScope { .code(self.job.app, [self.job.id]) }
}
