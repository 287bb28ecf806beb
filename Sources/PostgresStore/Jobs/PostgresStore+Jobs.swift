// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension PostgresStore: JobStore {
    private func writeJobs<Value: Sendable>(
        now: Date,
        _ body: @escaping @Sendable (JobConnection, inout [StoreChange]) throws -> Value
    ) async throws -> Value {
        let logger = self.logger
        return try await self.write(retriesDuplicates: true) { connection, changes in
            let tables = JobConnection(connection, logger: logger)
            let value = try body(tables, &changes)
            changes += try tables.activities.finish(now: now)
            return value
        }
    }

    public func putJob(
        _ id: JobID,
        of app: AppID,
        as definition: JobDefinition,
        isPaused: Bool?,
        now: Date
    ) async throws -> JobPutting {
        try await self.writeJobs(now: now) { jobs, changes in
            try jobs.putJob(id, of: app, as: definition, isPaused: isPaused, now: now, signalling: &changes)
        }
    }

    public func job(_ id: JobID, of app: AppID) async throws -> JobStatus? {
        try await self.read { connection in
            let found = try connection.rows(
                "\(JobConnection.columns) WHERE apps.id = $1 AND jobs.id = $2",
                [.text(app.rawValue), .text(id.rawValue)]
            ).map(JobRow.init(stored:))
            return try connection.statuses(of: found).first
        }
    }

    public func jobs(of app: AppID, after cursor: JobID?, limit: Int) async throws -> Page<JobStatus, JobID> {
        let limit = PageLimit.clamp(limit)
        return try await self.readSnapshot { connection in
            let rows = try connection.rows(
                "\(JobConnection.columns) WHERE apps.id = $1 AND jobs.id > $2 ORDER BY jobs.id LIMIT $3",
                [.text(app.rawValue), .text(cursor?.rawValue ?? ""), .number(limit + 1)]
            )
            let page = Page(overfull: try rows.map { JobID(unchecked: try $0.string("id")) }, limit: limit) { $0 }
            let found = try rows.prefix(limit).mapReadable(in: "jobs") { try JobRow(stored: $0) }
            return Page(elements: try connection.statuses(of: found), next: page.next)
        }
    }

    @discardableResult
    public func deleteJob(_ id: JobID, of app: AppID) async throws -> Bool {
        try await self.write { connection in
            let deleted = try connection.queue(
                "DELETE FROM jobs USING apps WHERE apps.number = jobs.app AND apps.id = $1 AND jobs.id = $2",
                [.text(app.rawValue), .text(id.rawValue)]
            )
            try connection.receive()
            return deleted.changes > 0
        }
    }

    public func pauseJob(_ id: JobID, of app: AppID, now: Date) async throws -> JobStatus? {
        try await self.steer(app, now: now) { jobs, _ in try jobs.pauseJob(id, of: app, now: now) }
    }

    public func resumeJob(_ id: JobID, of app: AppID, now: Date) async throws -> JobStatus? {
        try await self.steer(app, now: now) { jobs, changes in
            try jobs.resumeJob(id, of: app, now: now, signalling: &changes)
        }
    }

    public func runJob(_ id: JobID, of app: AppID, now: Date) async throws -> JobRunning? {
        try await self.steer(app, now: now) { jobs, changes in
            try jobs.runJob(id, of: app, now: now, signalling: &changes)
        }
    }

    private func steer<Value: Sendable>(
        _ app: AppID,
        now: Date,
        _ body: @escaping @Sendable (JobConnection, inout [StoreChange]) throws -> Value?
    ) async throws -> Value? {
        try await self.writeJobs(now: now) { jobs, changes in
            guard try jobs.connection.number(of: app) != nil else { return nil }
            return try body(jobs, &changes)
        }
    }

    public func jobRuns(
        of id: JobID,
        app: AppID,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<JobRun, Int64> {
        let limit = PageLimit.clamp(limit)
        return try await self.read { connection in
            let rows = try connection.rows(
                """
                SELECT job_runs.* FROM job_runs JOIN jobs ON jobs.number = job_runs.job
                    JOIN apps ON apps.number = jobs.app
                WHERE apps.id = $1 AND jobs.id = $2 AND job_runs.number < $3 ORDER BY job_runs.number DESC LIMIT $4
                """,
                [.text(app.rawValue), .text(id.rawValue), .integer(cursor ?? .max), .number(limit + 1)]
            )
            return try Page(overfull: rows, in: "job_runs", limit: limit, cursor: { try $0.int64("number") }) {
                try JobRun(stored: $0)
            }
        }
    }

    // MARK: Working

    public func nextJobTime(of scope: JobScope) async throws -> Date? {
        try await self.read { connection in
            let due = try connection.queue(
                """
                SELECT jobs.due_at AS time FROM jobs WHERE jobs.due_at IS NOT NULL AND \(scope.condition(from: 1))
                ORDER BY jobs.due_at LIMIT 1
                """,
                scope.values
            )
            let claimable = try connection.queue(
                """
                SELECT job_runs.claimable_at AS time FROM job_runs JOIN jobs ON jobs.number = job_runs.job
                WHERE job_runs.claimable_at IS NOT NULL AND \(scope.condition(from: 1))
                ORDER BY job_runs.claimable_at LIMIT 1
                """,
                scope.values
            )
            try connection.receive()
            return try [due, claimable].compactMap { try $0.rows.first?.clampedDate("time") }.min()
        }
    }

    public func claimJobRuns(
        of scope: JobScope,
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> JobClaim {
        // Most often there is nothing, which a read finds out without a transaction that locks.
        guard let next = try await self.nextJobTime(of: scope), next <= now else { return JobClaim() }
        let until = now.lease(of: leaseDuration)
        let limit = min(max(0, limit), PageLimit.clamp(.max))
        return try await self.writeJobs(now: now) { jobs, _ in
            try jobs.claimRuns(of: scope, limit: limit, worker: worker, until: until, now: now)
        }
    }

    public func carryOut(_ lease: JobLease, leaseDuration: Duration, now: Date) async throws -> JobRun {
        let until = now.lease(of: leaseDuration)
        return try await self.writeJobs(now: now) { jobs, changes in
            try jobs.carryOut(lease, until: until, now: now, signalling: &changes)
        }
    }

    public func extendJobLease(_ lease: JobLease, leaseDuration: Duration, now: Date) async throws {
        let until = now.lease(of: leaseDuration)
        try await self.writeJobs(now: now) { jobs, _ in try jobs.extend(lease, until: until) }
    }

    @discardableResult
    public func finishJobRun(_ lease: JobLease, as end: JobRunEnd, now: Date) async throws -> JobRun {
        try await self.writeJobs(now: now) { jobs, changes in
            try jobs.finish(lease, as: end, now: now, signalling: &changes)
        }
    }

    public func releaseJobRun(_ lease: JobLease, now: Date) async throws {
        try await self.writeJobs(now: now) { jobs, changes in
            try jobs.release(lease, now: now, signalling: &changes)
        }
    }
}

extension PostgresConnection {
    /// Jobs, each with its newest run.
    fileprivate func statuses(of rows: [JobRow]) throws -> [JobStatus] {
        let found = try self.rows(
            """
            SELECT last.* FROM unnest($1::bigint[]) AS told (number)
            CROSS JOIN LATERAL (SELECT * FROM job_runs WHERE job = told.number ORDER BY number DESC LIMIT 1) AS last
            """,
            [.integers(rows.map(\.number))]
        )
        var runs: [Int64: JobRun] = [:]
        for row in found { runs[try row.int64("job")] = try row.readable(in: "job_runs") { try JobRun(stored: $0) } }
        return rows.map { JobStatus(job: $0.job, lastRun: runs[$0.number]) }
    }
}
