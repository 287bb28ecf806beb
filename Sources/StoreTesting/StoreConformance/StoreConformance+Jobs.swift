// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Cron
import Foundation
import PushModel
import PushStore

extension StoreConformance {
    static let jobs: [Check] = [
        Check("a job is kept as it was put, and defined anew without losing an occurrence") { store in
            try await store.addSampleApp()
            let definition = try JobSamples.ending(
                JobPolicy(
                    overlap: .queue,
                    misfire: .each(within: 7200),
                    jitterSeconds: 30,
                    retries: 2,
                    deadlineSeconds: 9
                )
            )
            let job = Job(id: JobSamples.id, app: StoreSamples.app, definition: definition, now: StoreSamples.now)
            let status = JobStatus(job: job, lastRun: nil)
            try expectEqual(job.nextAt, StoreSamples.after(60), "the first occurrence")
            try expectEqual(try await store.put(definition), .created(status), "the answer")
            try expectEqual(try await store.status(), status, "the job")
            try expectEqual(try await store.nextJobTime(of: .builtIn), job.dueAt, "when there is something to do")
            let same = try await store.put(definition, now: StoreSamples.after(3600))
            try expectEqual(same, .changed(status), "the same again")
            var other = definition
            other.schedule = try .every(.seconds(90), from: StoreSamples.now)
            _ = try await store.put(other, now: StoreSamples.after(3600.5))
            let changed = try await store.status().job
            try expectEqual(changed.definition, other, "the definition")
            try expectEqual(changed.nextAt, StoreSamples.after(3690), "the first occurrence of another schedule")
            try expectEqual(changed.updatedAt, StoreSamples.after(3600.5), "when it was changed")
            try expectEqual(changed.createdAt, StoreSamples.now, "when it was made")
        },
        Check("jobs are listed by their names, and removed with their runs") { store in
            for name in ["c", "a", "b"] { try await store.addJob(JobSamples.greeting(), JobID(unchecked: name)) }
            let first = try await store.jobs(of: StoreSamples.app, after: nil, limit: 2)
            try expectEqual(first.elements.map(\.job.id), ["a", "b"], "the first page")
            let second = try await store.jobs(of: StoreSamples.app, after: first.next, limit: 2)
            try expectEqual(second.elements.map(\.job.id), ["c"], "the second page")
            try expectEqual(second.next, nil, "a third page")
            let claimed = try await store.claimRuns(after: 60)
            try expectEqual(claimed.map(\.job.id).sorted(), ["a", "b", "c"], "the runs")
            try expect(try await store.deleteJob("a", of: StoreSamples.app), "the job is not removed")
            try expect(try await !store.deleteJob("a", of: StoreSamples.app), "the job is removed twice")
            try expectEqual(try await store.history("a"), [], "the runs of a removed job")
            let gone = try require(claimed.first { $0.job.id == "a" }, "the run")
            try await expectError(.leaseLost, "a step without a lease") { _ = try await store.step(gone, after: 61) }
            try await store.deleteApp(StoreSamples.app)
            try expectEqual(try await store.job("b", of: StoreSamples.app), nil, "a job of a removed app")
            try expectEqual(try await store.nextJobTime(of: .builtIn), nil, "what is left to do")
            try await expectError(.notFound, "a job of no app") { _ = try await store.put(JobSamples.greeting()) }
        },
        Check("a job that a program does is defined, and claimed, by that alone") { store in
            try await store.addJob(JobSamples.code())
            try await store.addJob(JobSamples.greeting(), "greeting")
            let refused = try await store.put(JobSamples.greeting())
            try expectEqual(refused, .refused(.isCode), "a definition over code")
            try expectEqual(try await store.put(JobSamples.code(), "greeting"), .refused(.isNotCode), "code over it")
            try expectEqual(try await store.claimRuns(after: 60).map(\.job.id), ["greeting"], "what schedulers get")
            let scope = JobScope.code(StoreSamples.app, [JobSamples.id, "other"])
            try expectEqual(try await store.nextJobTime(of: scope), StoreSamples.after(60), "when code is due")
            let others = JobScope.code(StoreSamples.otherApp, [JobSamples.id])
            try expectEqual(try await store.claimRuns(after: 60, scope: others), [], "what another program gets")
            let claimed = try await store.claimRun(after: 61, scope: scope)
            try expectEqual(claimed.job.id, JobSamples.id, "what the program gets")
            let end = JobRunEnd(.succeeded, processed: 7, message: "fine")
            let run = try await store.finishJobRun(claimed.lease, as: end, now: StoreSamples.after(62))
            try expectEqual(run.state, .succeeded, "the state")
            try expectEqual(run.processed, 7, "what was done")
            try expectEqual(try await store.history(), [run], "the history")
        },
        Check("a paused job lets its occurrences pass, and what waits is left out") { store in
            try await store.addJob(JobSamples.greeting(JobPolicy(overlap: .queue)))
            let claimed = try await store.claimRun(after: 60)
            try await store.extendJobLease(claimed.lease, leaseDuration: .seconds(80), now: StoreSamples.after(60))
            try expectEqual(try await store.claimRuns(after: 121), [], "what waits for its turn")
            let paused = try await store.pauseJob(JobSamples.id, of: StoreSamples.app, now: StoreSamples.after(122))
            try expectEqual(paused?.job.isPaused, true, "whether it is paused")
            try expectEqual(try await store.history().map(\.state), [.skipped, .running], "the runs")
            try expectEqual(try await store.history().first?.skip, .paused, "why")
            let goingOn = try await store.claimRuns(after: 600, by: StoreSamples.otherWorker)
            try expectEqual(goingOn.map(\.run.id), [claimed.run.id], "what goes on")
            let resumed = try await store.resumeJob(JobSamples.id, of: StoreSamples.app, now: StoreSamples.after(700))
            try expectEqual(resumed?.job.nextAt, StoreSamples.after(720), "the next occurrence")
            let unknown = try await store.pauseJob("other", of: StoreSamples.app, now: StoreSamples.now)
            try expectEqual(unknown, nil, "a job that does not exist")
        },
        Check("a run that is asked for comes at once, also of a paused job, and never beside another") { store in
            try await store.addJob(JobSamples.greeting(), isPaused: true)
            try expectEqual(try await store.nextJobTime(of: .builtIn), nil, "when a paused job is due")
            var changes = store.changes().makeAsyncIterator()
            let run = try await store.runJob(JobSamples.id, of: StoreSamples.app, now: StoreSamples.after(5))
            guard case .made(let made)? = run else {
                throw ConformanceFailure(message: "\(String(describing: run))", location: "jobs")
            }
            try expectEqual(await changes.next(), .jobsDue, "the signal")
            try expectEqual(made.trigger, .hand, "the trigger")
            let busy = try await store.runJob(JobSamples.id, of: StoreSamples.app, now: StoreSamples.after(6))
            try expectEqual(busy, .busy, "a second one")
            let claimed = try await store.claimRun(after: 7)
            try expectEqual(claimed.run.id, made.id, "the run")
            try expectEqual(try await store.carryOut(claimed, after: 8).state, .succeeded, "what it came to")
            try expectEqual(try await store.status().lastRun?.id, made.id, "the last run")
            let unknown = try await store.runJob("other", of: StoreSamples.app, now: StoreSamples.now)
            try expectEqual(unknown, nil, "a job that does not exist")
        },
    ]
}
