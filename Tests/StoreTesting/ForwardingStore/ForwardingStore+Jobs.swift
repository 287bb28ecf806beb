// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension ForwardingStore {
    /// Asks the store that does the work.
    public func putJob(
        _ id: JobID,
        of app: AppID,
        as definition: JobDefinition,
        isPaused: Bool?,
        now: Date
    ) async throws -> JobPutting {
        try await self.forward { try await self.base.putJob(id, of: app, as: definition, isPaused: isPaused, now: now) }
    }

    /// Asks the store that does the work.
    public func job(_ id: JobID, of app: AppID) async throws -> JobStatus? {
        try await self.forward { try await self.base.job(id, of: app) }
    }

    /// Asks the store that does the work.
    public func jobs(of app: AppID, after cursor: JobID?, limit: Int) async throws -> Page<JobStatus, JobID> {
        try await self.forward { try await self.base.jobs(of: app, after: cursor, limit: limit) }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func deleteJob(_ id: JobID, of app: AppID) async throws -> Bool {
        try await self.forward { try await self.base.deleteJob(id, of: app) }
    }

    /// Asks the store that does the work.
    public func pauseJob(_ id: JobID, of app: AppID, now: Date) async throws -> JobStatus? {
        try await self.forward { try await self.base.pauseJob(id, of: app, now: now) }
    }

    /// Asks the store that does the work.
    public func resumeJob(_ id: JobID, of app: AppID, now: Date) async throws -> JobStatus? {
        try await self.forward { try await self.base.resumeJob(id, of: app, now: now) }
    }

    /// Asks the store that does the work.
    public func runJob(_ id: JobID, of app: AppID, now: Date) async throws -> JobRunning? {
        try await self.forward { try await self.base.runJob(id, of: app, now: now) }
    }

    /// Asks the store that does the work.
    public func jobRuns(
        of id: JobID,
        app: AppID,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<JobRun, Int64> {
        try await self.forward { try await self.base.jobRuns(of: id, app: app, after: cursor, limit: limit) }
    }

    /// Asks the store that does the work.
    public func nextJobTime(of scope: JobScope) async throws -> Date? {
        try await self.forward { try await self.base.nextJobTime(of: scope) }
    }

    /// Asks the store that does the work.
    public func claimJobRuns(
        of scope: JobScope,
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> JobClaim {
        try await self.forward {
            try await self.base.claimJobRuns(
                of: scope,
                limit: limit,
                worker: worker,
                leaseDuration: leaseDuration,
                now: now
            )
        }
    }

    /// Asks the store that does the work.
    public func carryOut(_ lease: JobLease, leaseDuration: Duration, now: Date) async throws -> JobRun {
        try await self.forward { try await self.base.carryOut(lease, leaseDuration: leaseDuration, now: now) }
    }

    /// Asks the store that does the work.
    public func extendJobLease(_ lease: JobLease, leaseDuration: Duration, now: Date) async throws {
        try await self.forward { try await self.base.extendJobLease(lease, leaseDuration: leaseDuration, now: now) }
    }

    /// Asks the store that does the work.
    @discardableResult
    public func finishJobRun(_ lease: JobLease, as end: JobRunEnd, now: Date) async throws -> JobRun {
        try await self.forward { try await self.base.finishJobRun(lease, as: end, now: now) }
    }

    /// Asks the store that does the work.
    public func releaseJobRun(_ lease: JobLease, now: Date) async throws {
        try await self.forward { try await self.base.releaseJobRun(lease, now: now) }
    }
}
