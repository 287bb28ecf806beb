// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel
public import PushStore

extension JobStore where Self: SQLBacked {
    public func putJob(
        _ id: JobID,
        of app: AppID,
        as definition: JobDefinition,
        isPaused: Bool?,
        now: Date
    ) async throws -> JobPutting {
        try await self.sql.write(retriesConflicts: true) { transaction in
            let number = try transaction.lockedNumber(of: app)
            if var row = try transaction.lockedJob(id, app: number) {
                let isCode = row.job.definition.work == .code
                guard isCode == (definition.work == .code) else { return .refused(isCode ? .isCode : .isNotCode) }
                let wasPaused = row.job.isPaused
                row.job.define(definition, isPaused: isPaused, now: now)
                try transaction.update(row)
                if row.job.isPaused, !wasPaused { try transaction.skipWaitingRuns(of: row, now: now) }
                transaction.signal(.jobsDue)
                return .changed(try transaction.status(of: row))
            }
            guard try transaction.jobCount(ofApp: number) < Job.maximumPerApp else { return .refused(.tooMany) }
            let job = Job(id: id, app: app, definition: definition, isPaused: isPaused ?? false, now: now)
            try transaction.insert(job, app: number)
            transaction.signal(.jobsDue)
            return .created(JobStatus(job: job, lastRun: nil))
        }
    }

    public func job(_ id: JobID, of app: AppID) async throws -> JobStatus? {
        try await self.sql.read { reader in
            try reader.first("\(SQL.jobs) WHERE jobs.app = \(SQL.number(of: app)) AND jobs.id = \(id)")
                .map { try reader.status(of: JobRow(stored: $0)) }
        }
    }

    public func jobs(of app: AppID, after cursor: JobID?, limit: Int) async throws -> Page<JobStatus, JobID> {
        let limit = PageLimit.clamp(limit)
        let start = cursor?.rawValue ?? ""
        return try await self.sql.read { reader in
            let rows = try reader.rows(
                """
                \(SQL.jobs) WHERE jobs.app = \(SQL.number(of: app)) AND jobs.id > \(start)
                ORDER BY jobs.id LIMIT \(limit + 1)
                """
            )
            guard let end = try rows.prefix(limit).last?.string("id") else { return Page(elements: [], next: nil) }
            let runs = try reader.rows(
                """
                SELECT * FROM job_runs WHERE number IN (
                    SELECT (SELECT max(number) FROM job_runs WHERE job = jobs.number) FROM jobs
                    WHERE app = \(SQL.number(of: app)) AND id > \(start) AND id <= \(end)
                )
                """
            )
            var lastRuns: [Int64: JobRun] = [:]
            for run in runs {
                lastRuns[try run.int64("job")] = try run.readable(in: "job_runs") { try JobRun(stored: $0) }
            }
            return try Page(overfull: rows, in: "jobs", limit: limit, cursor: { JobID(unchecked: try $0.string("id")) })
            {
                let row = try JobRow(stored: $0)
                return JobStatus(job: row.job, lastRun: lastRuns[row.number])
            }
        }
    }

    @discardableResult
    public func deleteJob(_ id: JobID, of app: AppID) async throws -> Bool {
        try await self.sql.run("DELETE FROM jobs WHERE app = \(SQL.number(of: app)) AND id = \(id)") > 0
    }

    public func pauseJob(_ id: JobID, of app: AppID, now: Date) async throws -> JobStatus? {
        try await self.sql.write { transaction in
            guard var row = try transaction.lockedJob(id, of: app) else { return nil }
            if !row.job.isPaused {
                row.job.pause()
                try transaction.update(row)
                try transaction.skipWaitingRuns(of: row, now: now)
            }
            return try transaction.status(of: row)
        }
    }

    public func resumeJob(_ id: JobID, of app: AppID, now: Date) async throws -> JobStatus? {
        try await self.sql.write { transaction in
            guard var row = try transaction.lockedJob(id, of: app) else { return nil }
            if row.job.isPaused {
                row.job.resume(now: now)
                try transaction.update(row)
                transaction.signal(.jobsDue)
            }
            return try transaction.status(of: row)
        }
    }

    public func runJob(_ id: JobID, of app: AppID, now: Date) async throws -> JobRunning? {
        try await self.sql.write(retriesConflicts: true) { transaction in
            guard let row = try transaction.lockedJob(id, of: app) else { return nil }
            let open = try transaction.openRuns(ofJob: row.number, now: now)
            if try transaction.callForgotten(open, of: row, now: now) { transaction.signal(.jobsDue) }
            guard row.job.hasRoom(beside: open.count) else { return .busy }
            let isFirst = open.isEmpty || row.job.definition.policy.overlap == .allow
            let time = now.keptToMilliseconds
            var run = JobRun(id: JobRunID(now: now), trigger: .hand, dueAt: time, claimableAt: isFirst ? time : nil)
            guard let number = try transaction.insert(run, ofJob: row.number) else {
                throw StoreError.taken("a run '\(run.id)'")
            }
            run.number = number
            transaction.signal(.jobsDue)
            return .made(run)
        }
    }

    public func jobRuns(
        of id: JobID,
        app: AppID,
        after cursor: Int64?,
        limit: Int
    ) async throws -> Page<JobRun, Int64> {
        let end = cursor ?? Int64.max
        return try await self.sql.page(
            """
            SELECT * FROM job_runs
            WHERE job = (SELECT number FROM jobs WHERE app = \(SQL.number(of: app)) AND id = \(id)) AND number < \(end)
            ORDER BY number DESC
            """,
            in: "job_runs",
            limit: limit,
            cursor: { try $0.int64("number") }
        ) { try JobRun(stored: $0) }
    }
}
