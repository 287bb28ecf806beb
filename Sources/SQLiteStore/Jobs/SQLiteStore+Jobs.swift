// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore
import SQLite

extension SQLiteStore: JobStore {
    public func putJob(
        _ id: JobID,
        of app: AppID,
        as definition: JobDefinition,
        isPaused: Bool?,
        now: Date
    ) async throws -> JobPutting {
        try await self.write { database, changes in
            try database.jobs(self.logger).putJob(
                id,
                of: app,
                as: definition,
                isPaused: isPaused,
                now: now,
                signalling: &changes
            )
        }
    }

    public func job(_ id: JobID, of app: AppID) async throws -> JobStatus? {
        try await self.read { database in
            guard let number = try database.number(of: app) else { return nil }
            return try database.jobs(self.logger).jobRow(id, app: number).map(database.jobs(self.logger).status)
        }
    }

    public func jobs(of app: AppID, after cursor: JobID?, limit: Int) async throws -> Page<JobStatus, JobID> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { database in
            guard let number = try database.number(of: app) else { return Page(elements: [], next: nil) }
            let rows = try database.rows(
                "\(JobSQL.columns) WHERE jobs.app = ? AND jobs.id > ? ORDER BY jobs.id LIMIT ?",
                [number, cursor?.rawValue ?? "", limit + 1]
            )
            let jobs = database.jobs(self.logger)
            return try Page(overfull: rows, in: "jobs", limit: limit, cursor: { JobID(unchecked: try $0.string("id")) })
            {
                try jobs.status(JobRow(stored: $0))
            }
        }
    }

    @discardableResult
    public func deleteJob(_ id: JobID, of app: AppID) async throws -> Bool {
        try await self.write { database in
            guard let number = try database.number(of: app) else { return false }
            return try database.run("DELETE FROM jobs WHERE app = ? AND id = ?", [number, id.rawValue]) > 0
        }
    }

    public func pauseJob(_ id: JobID, of app: AppID, now: Date) async throws -> JobStatus? {
        try await self.write { database in
            guard try database.number(of: app) != nil else { return nil }
            return try database.jobs(self.logger).pauseJob(id, of: app, now: now)
        }
    }

    public func resumeJob(_ id: JobID, of app: AppID, now: Date) async throws -> JobStatus? {
        try await self.write { database, changes in
            guard try database.number(of: app) != nil else { return nil }
            return try database.jobs(self.logger).resumeJob(id, of: app, now: now, signalling: &changes)
        }
    }

    public func runJob(_ id: JobID, of app: AppID, now: Date) async throws -> JobRunning? {
        try await self.write { database, changes in
            guard try database.number(of: app) != nil else { return nil }
            return try database.jobs(self.logger).runJob(id, of: app, now: now, signalling: &changes)
        }
    }

    public func jobRuns(
        of id: JobID,
        app: AppID,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<JobRun, Int64> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { database in
            guard let number = try database.number(of: app),
                let row = try database.jobs(self.logger).jobRow(id, app: number)
            else { return Page(elements: [], next: nil) }
            let rows = try database.rows(
                "SELECT * FROM job_runs WHERE job = ? AND number < ? ORDER BY number DESC LIMIT ?",
                [row.number, cursor ?? .max, limit + 1]
            )
            return try Page(overfull: rows, in: "job_runs", limit: limit, cursor: { try $0.int64("number") }) {
                try JobRun(stored: $0)
            }
        }
    }

    // MARK: Working

    public func nextJobTime(of scope: JobScope) async throws -> Date? {
        try await self.read { database in
            let due = try database.row(
                """
                SELECT jobs.due_at AS time FROM jobs WHERE jobs.due_at IS NOT NULL AND \(scope.condition)
                ORDER BY jobs.due_at LIMIT 1
                """,
                scope.arguments
            )
            let claimable = try database.row(
                """
                SELECT job_runs.claimable_at AS time FROM job_runs CROSS JOIN jobs ON jobs.number = job_runs.job
                WHERE job_runs.claimable_at IS NOT NULL AND \(scope.condition) ORDER BY job_runs.claimable_at LIMIT 1
                """,
                scope.arguments
            )
            return try [due, claimable].compactMap { try $0?.clampedDate("time") }.min()
        }
    }

    public func claimJobRuns(
        of scope: JobScope,
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> JobClaim {
        // Most often there is nothing, which a read finds out without waiting for those who write.
        guard let next = try await self.nextJobTime(of: scope), next <= now else { return JobClaim() }
        let until = now.lease(of: leaseDuration)
        let limit = min(max(0, limit), PageLimit.clamp(.max))
        return try await self.write { database, _ in
            try database.jobs(self.logger).claimRuns(of: scope, limit: limit, worker: worker, until: until, now: now)
        }
    }

    public func carryOut(_ lease: JobLease, leaseDuration: Duration, now: Date) async throws -> JobRun {
        let until = now.lease(of: leaseDuration)
        return try await self.write { database, changes in
            try database.jobs(self.logger).carryOut(lease, until: until, now: now, signalling: &changes)
        }
    }

    public func extendJobLease(_ lease: JobLease, leaseDuration: Duration, now: Date) async throws {
        let until = now.lease(of: leaseDuration)
        try await self.write { try $0.jobs(self.logger).extend(lease, until: until) }
    }

    @discardableResult
    public func finishJobRun(_ lease: JobLease, as end: JobRunEnd, now: Date) async throws -> JobRun {
        try await self.write { database, changes in
            try database.jobs(self.logger).finish(lease, as: end, now: now, signalling: &changes)
        }
    }

    public func releaseJobRun(_ lease: JobLease, now: Date) async throws {
        try await self.write { database, changes in
            try database.jobs(self.logger).release(lease, now: now, signalling: &changes)
        }
    }
}

extension JobSQL {
    fileprivate func status(_ row: JobRow) throws -> JobStatus {
        JobStatus(job: row.job, lastRun: try self.lastRun(ofJob: row.number))
    }
}
