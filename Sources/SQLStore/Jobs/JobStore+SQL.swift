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
    ) async throws -> PutJobResult {
        try await self.sql.write(retriesConflicts: true) { transaction in
            let number = try transaction.lockedNumber(of: app)
            if var row = try transaction.lockedJob(id, app: number) {
                let isCode = row.job.definition.work == .code
                guard isCode == (definition.work == .code) else { return .refused(isCode ? .isCode : .isNotCode) }
                let former = row.job
                row.job.define(definition, isPaused: isPaused, now: now)
                try transaction.update(row)
                try transaction.audit(former, to: row.job)
                if row.job.isPaused, !former.isPaused { try transaction.skipWaitingRuns(of: row, now: now) }
                transaction.signal(.jobsDue)
                return .changed(try transaction.status(of: row))
            }
            let count = try transaction.first("SELECT count(*) AS count FROM jobs WHERE app = \(number)")
            guard try count?.number("count") ?? 0 < Job.maximumPerApp else { return .refused(.tooMany) }
            let job = Job(id: id, app: app, definition: definition, isPaused: isPaused ?? false, now: now)
            try transaction.insert(job, app: number)
            try transaction.audit(created: job)
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
        let start = cursor?.rawValue ?? ""
        return try await self.sql.read { reader in
            let page = try reader.page(
                "\(SQL.jobs) WHERE jobs.app = \(SQL.number(of: app)) AND jobs.id > \(start) ORDER BY jobs.id",
                in: "jobs",
                limit: limit,
                cursor: { JobID(unchecked: try $0.string("id")) }
            ) { try JobRow(stored: $0) }
            let runs = try reader.rows(
                """
                SELECT * FROM job_runs WHERE number IN (
                    SELECT (SELECT max(number) FROM job_runs WHERE job = jobs.number) FROM jobs
                    WHERE number \(in: page.elements.map(\.number))
                )
                """
            )
            var lastRuns: [Int64: JobRun] = [:]
            for run in runs {
                lastRuns[try run.int64("job")] = try run.readable(in: "job_runs") { try JobRun(stored: $0) }
            }
            let statuses = page.elements.map { JobStatus(job: $0.job, lastRun: lastRuns[$0.number]) }
            return Page(elements: statuses, next: page.next)
        }
    }

    public func deleteJob(_ id: JobID, of app: AppID) async throws -> Bool {
        try await self.sql.write { transaction in
            let condition: SQL = "jobs.app = \(SQL.number(of: app)) AND jobs.id = \(id)"
            let row = try transaction.first("\(SQL.jobs) WHERE \(condition)")
            guard let row, try transaction.run("DELETE FROM jobs WHERE \(condition)").changes > 0 else { return false }
            // A corrupt job can be deleted too.
            if let job = try? JobRow(stored: row).job { try transaction.audit(deleted: job) }
            return true
        }
    }

    public func pauseJob(_ id: JobID, of app: AppID, now: Date) async throws -> JobStatus? {
        try await self.sql.write { transaction in
            guard var row = try transaction.lockedJob(id, of: app) else { return nil }
            if !row.job.isPaused {
                let former = row.job
                row.job.pause()
                try transaction.update(row)
                try transaction.audit(former, to: row.job, as: .paused)
                try transaction.skipWaitingRuns(of: row, now: now)
            }
            return try transaction.status(of: row)
        }
    }

    public func resumeJob(_ id: JobID, of app: AppID, now: Date) async throws -> JobStatus? {
        try await self.sql.write { transaction in
            guard var row = try transaction.lockedJob(id, of: app) else { return nil }
            if row.job.isPaused {
                let former = row.job
                row.job.resume(now: now)
                try transaction.update(row)
                try transaction.audit(former, to: row.job, as: .resumed)
                transaction.signal(.jobsDue)
            }
            return try transaction.status(of: row)
        }
    }

    public func runJob(_ id: JobID, of app: AppID, now: Date) async throws -> RunJobResult? {
        try await self.sql.write(retriesConflicts: true) { transaction in
            guard let row = try transaction.lockedJob(id, of: app) else { return nil }
            let open = try transaction.callOpenRuns(of: row, now: now)
            transaction.signal(.jobsDue)
            guard row.job.hasRoom(beside: open.count) else { return .busy }
            let isFirst = open.isEmpty || row.job.definition.policy.overlap == .allow
            let time = now.keptToMilliseconds
            var run = JobRun(id: JobRunID(now: now), trigger: .manual, dueAt: time, claimableAt: isFirst ? time : nil)
            guard let number = try transaction.insert(run, ofJob: row.number) else {
                throw StoreError.taken("a run '\(run.id)'")
            }
            run.number = number
            try transaction.audit(.triggered, row.job)
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

    public func nextJobTime(of scope: JobSelection) async throws -> Date? {
        let times = try await self.sql.first(
            """
            SELECT (
                SELECT jobs.due_at FROM jobs WHERE jobs.due_at IS NOT NULL AND \(scope.condition)
                ORDER BY jobs.due_at LIMIT 1
            ) AS due, (
                SELECT job_runs.claimable_at FROM \(SQL.runs)
                WHERE job_runs.claimable_at IS NOT NULL AND \(scope.condition) ORDER BY job_runs.claimable_at LIMIT 1
            ) AS claimable
            """
        ) { [try $0.clampedDate("due"), try $0.clampedDate("claimable")] }
        return times?.compactMap(\.self).min()
    }

    public func claimJobRuns(
        of scope: JobSelection,
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> JobClaim {
        // Usually nothing is due. A read finds that out without locks, and without a wait for other writers.
        guard let next = try await self.nextJobTime(of: scope), next <= now else { return JobClaim() }
        let until = now.lease(of: leaseDuration)
        let limit = min(max(0, limit), PageLimit.clamp(.max))
        return try await self.sql.write(retriesConflicts: true) { transaction in
            try transaction.claimRuns(of: scope, limit: limit, worker: worker, until: until, now: now)
        }
    }

    public func carryOut(_ lease: JobLease, leaseDuration: Duration, now: Date) async throws -> JobRun {
        let until = now.lease(of: leaseDuration)
        return try await self.sql.write(retriesConflicts: true) { transaction in
            var (row, run) = try transaction.heldRun(lease)
            let (policy, time) = (row.job.definition.policy, now.keptToMilliseconds)
            switch row.job.definition.work {
            case .campaign(let work):
                let campaign = work.campaign(of: run, by: row.job, now: now)
                if try transaction.first("SELECT 1 FROM campaigns WHERE id = \(campaign.id.value)") == nil {
                    try transaction.create(campaign, app: row.app)
                }
                run.finish(
                    JobRunResult(.succeeded, processedCount: 1, campaign: campaign.id),
                    policy: policy,
                    now: time
                )
            case .activities(let work):
                let page = try transaction.activityNumbers(
                    matching: work,
                    about: run.startedAt ?? now,
                    app: row.app,
                    after: run.place
                )
                let (count, note) = try transaction.change(page.numbers, by: work, of: row, now: now)
                run.advance(to: page.numbers.last ?? run.place, processed: count, note: note, until: until)
                if !page.hasMore { run.finish(JobRunResult(.succeeded), policy: policy, now: time) }
            case .webhook, .code:
                // The job was redefined after the claim: the worker that claims the run next sees the new definition.
                throw StoreError.leaseLost("run \(lease.run)", holder: lease.worker)
            }
            try transaction.save(run, of: row, now: now)
            return run
        }
    }

    public func extendJobLease(_ lease: JobLease, leaseDuration: Duration, now: Date) async throws {
        let until = now.lease(of: leaseDuration)
        try await self.sql.write { transaction in
            var run = try transaction.heldRun(lease).run
            run.extend(until: until)
            try transaction.update(run)
        }
    }

    public func finishJobRun(_ lease: JobLease, as end: JobRunResult, now: Date) async throws -> JobRun {
        try await self.sql.write { transaction in
            var (row, run) = try transaction.heldRun(lease)
            run.finish(end, policy: row.job.definition.policy, now: now.keptToMilliseconds)
            try transaction.save(run, of: row, now: now)
            return run
        }
    }

    public func releaseJobRun(_ lease: JobLease, now: Date) async throws {
        try await self.sql.write { transaction in
            guard var run = try transaction.lockedRun(lease.run)?.run,
                run.isHeld(by: lease.worker, attempt: lease.attempt)
            else { return }
            run.release(now: now.keptToMilliseconds)
            try transaction.update(run)
            transaction.signal(.jobsDue)
        }
    }
}

extension SQLTransaction {
    /// Changes the activities that match; returns how many changed, and the reason of the first refusal.
    func change(
        _ numbers: [Int64],
        by work: JobActivities,
        of row: JobRow,
        now: Date
    ) throws -> (count: Int, note: String?) {
        var change = work.change
        change.instants = [:]
        let found = try readable(numbers, in: "activities") { try self.activityRows(numbers: $0) }
        let schema = try self.schemas(for: [change], of: found)[work.attributesType]
        let orders = found.sorted { $0.number < $1.number }.filter { work.concerns($0.lifecycle, schema: schema) }
            .map { ActivityUpdate(activity: $0.id, change: change) }
        guard !orders.isEmpty else { return (0, nil) }
        var count = 0
        var note: String?
        let results = try self.change(orders, of: row.job.app, now: now)
        for (order, result) in zip(orders, results) {
            switch result {
            case .changed: count += 1
            case .refused(let refusal) where note == nil:
                note = "Not every activity could be changed. '\(order.activity)': \(refusal.message)"
            case .refused, .unknown: break
            }
        }
        return (count, note)
    }
}
