// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import PushModel
import PushStore
import SQLStore
import Scheduling
import ServiceLifecycle
import StoreTesting
import Testing

@Suite("Jobs whose stored numbers are corrupt", .timeLimit(.minutes(20)))
struct CorruptJobTests {
    @Test("are run also where the deadline is longer than any clock can wait")
    func deadline() async throws {
        try await SchedulingStage.open { stage in
            _ = try await stage.store.put(try JobSamples.code(), now: stage.now.date)
            stage.now.advance(by: .seconds(60))
            var changes = stage.store.changes().makeAsyncIterator()
            // By the clock of the system: that of the stage waits for any time.
            let scheduler = JobScheduler(
                store: CorruptStore(base: stage.store),
                scope: .code(SchedulingStage.app, [JobSamples.id]),
                handler: BriefHandler(),
                now: { [now = stage.now] in now.date },
                logger: .silent
            )
            let services = ServiceGroup(
                configuration: ServiceGroupConfiguration(services: [scheduler], logger: .silent)
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await services.run() }
                while try await stage.store.status().lastRun?.state != .succeeded {
                    guard await changes.next() != nil else { throw StageError.missing("the end of the run") }
                }
                await services.triggerGracefulShutdown()
                try await group.waitForAll()
            }
        }
    }
}

/// Works for a moment, in which the deadline is waited for.
private struct BriefHandler: JobHandler {
    func run(_ claimed: ClaimedJobRun) async throws -> JobRunResult {
        for _ in 0..<1000 { await Task.yield() }
        return JobRunResult(.succeeded)
    }
}

/// A store that gives jobs with the greatest deadline to those who run them.
private struct CorruptStore: StoreDecorator {
    let base: any PushStore & SQLBacked

    func claimJobRuns(
        of scope: JobSelection,
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> JobClaim {
        var claim = try await self.base.claimJobRuns(
            of: scope,
            limit: limit,
            worker: worker,
            leaseDuration: leaseDuration,
            now: now
        )
        claim.runs = claim.runs.map { claimed in
            let job = claimed.job
            var definition = job.definition
            definition.policy.timeoutSeconds = .max
            let damaged = Job(
                id: job.id,
                app: job.app,
                definition: definition,
                isPaused: job.isPaused,
                nextRunAt: job.nextRunAt,
                createdAt: job.createdAt,
                updatedAt: job.updatedAt
            )
            return ClaimedJobRun(job: damaged, run: claimed.run, worker: worker)
        }
        return claim
    }
}
