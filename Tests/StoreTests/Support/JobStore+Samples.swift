// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import StoreTesting
import Testing

/// Shorter forms of the calls, for tests of runs.
extension JobStore where Self: BatchStore & AppStore {
    /// Adds the sample app and a job.
    func addJob(
        _ definition: JobDefinition,
        _ id: JobID = JobSamples.id,
        isPaused: Bool = false
    ) async throws {
        if try await self.app(StoreFixtures.app) == nil { try await self.addSampleApp() }
        let put = try await self.put(definition, id, isPaused: isPaused)
        let isCreated = if case .created = put { true } else { false }
        try #require(isCreated, "putting the job came to \(put)")
    }

    /// Claims runs, so many seconds from the beginning.
    func claimRuns(
        after seconds: Double,
        by worker: WorkerID = StoreFixtures.worker,
        scope: JobSelection = .builtIn,
        limit: Int = 10
    ) async throws -> [ClaimedJobRun] {
        let claim = try await self.claimJobRuns(
            of: scope,
            limit: limit,
            worker: worker,
            leaseDuration: JobSamples.lease,
            now: StoreFixtures.after(seconds)
        )
        return claim.runs
    }

    /// The only run that can be claimed.
    func claimRun(
        after seconds: Double,
        by worker: WorkerID = StoreFixtures.worker,
        scope: JobSelection = .builtIn
    ) async throws -> ClaimedJobRun {
        let claimed = try await self.claimRuns(after: seconds, by: worker, scope: scope)
        try #require(claimed.count == 1, "how many runs can be claimed after \(seconds) s")
        return claimed[0]
    }

    /// Does a claimed run to its end.
    func carryOut(_ claimed: ClaimedJobRun, after seconds: Double) async throws -> JobRun {
        while true {
            let run = try await self.step(claimed, after: seconds)
            if run.state.isFinal { return run }
        }
    }

    /// Does the next step of a claimed run.
    func step(_ claimed: ClaimedJobRun, after seconds: Double) async throws -> JobRun {
        try await self.carryOut(claimed.lease, leaseDuration: JobSamples.lease, now: StoreFixtures.after(seconds))
    }

    /// The runs of a job, the youngest first.
    func history(_ id: JobID = JobSamples.id, limit: Int = 1000) async throws -> [JobRun] {
        try await self.jobRuns(of: id, app: StoreFixtures.app, after: nil, limit: limit).elements
    }
}
