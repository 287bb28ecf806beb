// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore

extension SQL {
    /// Jobs with the IDs of their apps.
    static let jobs: SQL = "SELECT jobs.*, (SELECT id FROM apps WHERE number = jobs.app) AS app_id FROM jobs"

    /// Runs with their jobs; SQLite searches the runs first, because few of them can be claimed.
    static let runs: SQL = "job_runs \(SQL.orderedJoin) jobs ON jobs.number = job_runs.job"
}

extension JobSelection {
    var condition: SQL {
        switch self {
        case .builtIn: "jobs.is_code = 0"
        case .code(let app, let jobs):
            "jobs.is_code = 1 AND jobs.app = \(SQL.number(of: app)) AND jobs.id \(in: jobs.map(\.rawValue))"
        }
    }
}

extension SQLExecutor {
    /// Locks an app and one of its jobs; `nil` if there is no such job or app.
    func lockedJob(_ id: JobID, of app: AppID) throws -> JobRow? {
        try self.lockedNumberIfFound(of: app).flatMap { try self.lockedJob(id, app: $0) }
    }

    func lockedJob(_ id: JobID, app: Int64) throws -> JobRow? {
        try self.first(
            "\(SQL.jobs) WHERE jobs.app = \(app) AND jobs.id = \(id)\(lock: " FOR NO KEY UPDATE OF jobs")"
        ).map { try JobRow(stored: $0) }
    }

    func status(of row: JobRow) throws -> JobStatus {
        JobStatus(job: row.job, lastRun: try self.lastRun(ofJob: row.number))
    }

    /// The due jobs that no other transaction holds, the earliest first; corrupt ones are postponed for an hour.
    func dueJobs(of scope: JobSelection, limit: Int, now: Date) throws -> [JobRow] {
        let found = try self.rows(
            """
            \(SQL.jobs) WHERE jobs.due_at <= \(now) AND \(scope.condition)
            ORDER BY jobs.due_at LIMIT \(limit)\(lock: " FOR NO KEY UPDATE OF jobs SKIP LOCKED")
            """
        )
        return try found.compactMap { row in
            if let job = try row.readable(in: "jobs", { try JobRow(stored: $0) }) { return job }
            let next = now.addingTimeInterval(3600)
            try self.run("UPDATE jobs SET due_at = \(next) WHERE number = \(row.int64("number"))")
            return nil
        }
    }

    func insert(_ job: Job, app: Int64) throws {
        let definition = SQLValue.contentText(try StoredJSON.encode(job.definition))
        try self.run(
            """
            INSERT INTO jobs (app, id, definition, is_code, is_paused, next_at, due_at, created_at, updated_at)
            VALUES (\(app), \(job.id), \(definition), \(job.storedIsCode), \(job.storedIsPaused),
                \(job.nextRunAt), \(job.dueAt), \(job.createdAt), \(job.updatedAt))
            """
        )
    }

    func update(_ row: JobRow) throws {
        let job = row.job
        let definition = SQLValue.contentText(try StoredJSON.encode(job.definition))
        try self.run(
            """
            UPDATE jobs SET definition = \(definition), is_code = \(job.storedIsCode),
                is_paused = \(job.storedIsPaused), next_at = \(job.nextRunAt), due_at = \(job.dueAt),
                updated_at = \(job.updatedAt)
            WHERE number = \(row.number)
            """
        )
    }

    /// A page of the numbers of activities that match the work of a job, except for its condition on the content state.
    func activityNumbers(
        matching work: JobActivities,
        about time: Date,
        app: Int64,
        after number: Int64
    ) throws -> (numbers: [Int64], hasMore: Bool) {
        // Other writers wait for the transaction that changes them.
        let limit = 500
        var condition: SQL = "app = \(app) AND attributes_type = \(work.attributesType) AND state < 2"
        if let state = work.state { condition = "\(condition) AND state = \(state.stored)" }
        if let window = work.window {
            let span = window.span(about: time)
            condition = "\(condition) AND \(SQL.hasInstant((window.instant, span.lowerBound, span.upperBound)))"
        }
        let numbers = try self.rows(
            "SELECT number FROM activities WHERE \(condition) AND number > \(number) ORDER BY number LIMIT \(limit)"
        ).map { try $0.int64("number") }
        return (numbers, numbers.count == limit)
    }

    /// Makes the open runs of a job claimable that wait for no other run: the first, or all if they may overlap.
    ///
    /// - Returns: the waiting and running runs, the oldest first; a run that cannot be read fails.
    @discardableResult
    func callOpenRuns(of row: JobRow, now: Date) throws -> [JobRun] {
        let isParallel = row.job.definition.policy.overlap == .allow
        var open: [JobRun] = []
        for found in try self.rows("SELECT * FROM job_runs WHERE job = \(row.number) AND state < 2 ORDER BY number") {
            guard var run = try found.readable(in: "job_runs", { try JobRun(stored: $0) }) else {
                try self.fail(found.int64("number"), now: now)
                continue
            }
            if open.isEmpty || isParallel, run.state == .waiting, run.claimableAt == nil {
                run.becomeClaimable(now: now.keptToMilliseconds)
                try self.update(run)
            }
            open.append(run)
        }
        return open
    }

    /// The latest run of a job; `nil` if it cannot be read.
    func lastRun(ofJob number: Int64) throws -> JobRun? {
        let row = try self.first("SELECT * FROM job_runs WHERE job = \(number) ORDER BY number DESC LIMIT 1")
        return try row.flatMap { try $0.readable(in: "job_runs") { try JobRun(stored: $0) } }
    }

    /// Runs that can be claimed, the earliest first; those that other transactions hold are skipped.
    ///
    /// A run fails if it or its job cannot be read. If only the run cannot, its job is returned without it, because another
    /// run may have waited for it. Locks the jobs too, as each transaction that changes runs does.
    func claimableRuns(of scope: JobSelection, limit: Int, now: Date) throws -> [(row: JobRow, run: JobRun?)] {
        try self.rows(
            """
            SELECT job_runs.*, jobs.id AS job_id, jobs.app, (SELECT id FROM apps WHERE number = jobs.app) AS app_id,
                jobs.definition, jobs.is_paused, jobs.next_at, jobs.created_at, jobs.updated_at
            FROM \(SQL.runs) WHERE job_runs.claimable_at <= \(now) AND \(scope.condition)
            ORDER BY job_runs.claimable_at, job_runs.number LIMIT \(limit)\
            \(lock: " FOR NO KEY UPDATE OF jobs, job_runs SKIP LOCKED")
            """
        ).compactMap { found in
            let row = try readable(found.int64("job"), in: "jobs") {
                try JobRow(stored: found, number: "job", id: "job_id")
            }
            if let row, let run = try found.readable(in: "job_runs", { try JobRun(stored: $0) }) { return (row, run) }
            try self.fail(found.int64("number"), hasJob: row != nil, now: now)
            return row.map { ($0, nil) }
        }
    }

    /// A run and its job, which no other transaction changes before this one ends; `nil` if there is no such run.
    func lockedRun(_ id: JobRunID) throws -> (row: JobRow, run: JobRun)? {
        // All transactions lock an app before its jobs, and a job before its runs.
        let known = try self.first(
            """
            SELECT job_runs.job FROM job_runs JOIN jobs ON jobs.number = job_runs.job JOIN apps ON apps.number = jobs.app
            WHERE job_runs.id = \(id.value)\(lock: " FOR KEY SHARE OF apps")
            """
        )
        guard let number = try known?.int64("job") else { return nil }
        let job = try self.run("\(SQL.jobs) WHERE jobs.number = \(number)\(lock: " FOR NO KEY UPDATE OF jobs")")
        let run = try self.first("SELECT * FROM job_runs WHERE id = \(id.value)")
        guard let row = try job.rows.first, let run else { return nil }
        return (try JobRow(stored: row), try JobRun(stored: run))
    }

    /// Adds a run and returns its number; `nil` if there is a run of that ID.
    func insert(_ run: JobRun, ofJob number: Int64) throws -> Int64? {
        try self.first(
            """
            INSERT INTO job_runs (job, id, by_hand, due_at, occurrences, state, attempt, setbacks, processed, place,
                started_at, ended_at, claimable_at, skip, message)
            VALUES (\(number), \(run.id.value), \(run.trigger == .manual ? 1 : 0), \(run.dueAt), \(run.occurrences),
                \(run.storedState), \(run.attempt), \(run.setbacks), \(run.processedCount), \(run.place),
                \(run.startedAt), \(run.endedAt), \(run.claimableAt), \(run.skip?.rawValue), \(run.message))
            ON CONFLICT (id) DO NOTHING RETURNING number
            """
        )?.int64("number")
    }

    func update(_ run: JobRun) throws {
        try self.run(
            """
            UPDATE job_runs SET due_at = \(run.dueAt), occurrences = \(run.occurrences), state = \(run.storedState),
                attempt = \(run.attempt), setbacks = \(run.setbacks), processed = \(run.processedCount),
                place = \(run.place), started_at = \(run.startedAt), ended_at = \(run.endedAt),
                claimable_at = \(run.claimableAt), answer_status = \(run.responseStatus), worker = \(run.worker),
                skip = \(run.skip?.rawValue), message = \(run.message), campaign = \(run.campaign?.value)
            WHERE id = \(run.id.value)
            """
        )
    }

    private func fail(_ number: Int64, hasJob: Bool = true, now: Date) throws {
        let reason =
            hasJob
            ? JobRow.damagedRunReason
            : "The stored job is corrupt. Restore the database from a backup, or delete the job and create it again."
        CorruptRowLog.logFailure(of: "job run", key: "job.run.number", "\(number)")
        try self.run(
            """
            UPDATE job_runs SET state = 3, claimable_at = NULL, ended_at = \(now), message = \(reason)
            WHERE number = \(number)
            """
        )
    }

    /// Removes the oldest runs of a job that have ended, except for the last 1,000.
    func pruneRuns(ofJob number: Int64) throws {
        try self.run(
            """
            DELETE FROM job_runs WHERE job = \(number) AND state >= 2 AND number <= (
                SELECT number FROM job_runs WHERE job = \(number) ORDER BY number DESC LIMIT 1 OFFSET \(Job.keptRuns)
            )
            """
        )
    }
}

extension SQLExecutor {
    /// Creates the runs that are due, and leases runs; see `JobStore.claimJobRuns`.
    func claimRuns(of scope: JobSelection, limit: Int, worker: WorkerID, until: Date, now: Date) throws -> JobClaim {
        let now = now.keptToMilliseconds
        // Other writers wait for this transaction, so it advances at most 100 jobs.
        let jobLimit = 100
        let due = try self.dueJobs(of: scope, limit: jobLimit, now: now)
        for row in due { try self.createRuns(of: row, now: now) }
        var claim = JobClaim(hasMore: due.count == jobLimit)
        guard limit > 0 else { return claim }
        let found = try self.claimableRuns(of: scope, limit: limit, now: now)
        for (row, stored) in found {
            guard var run = stored else {
                // It was corrupt. The run that waited for it starts with the next claim.
                try self.callOpenRuns(of: row, now: now)
                claim.hasMore = true
                continue
            }
            switch run.claim(by: worker, until: until, policy: row.job.definition.policy, now: now) {
            case .refused: continue
            case .granted:
                try self.update(run)
                claim.runs.append(ClaimedJobRun(job: row.job, run: run, worker: worker))
            case .ended:
                try self.update(run)
                try self.callOpenRuns(of: row, now: now)
                claim.hasMore = true
            }
        }
        claim.hasMore = claim.hasMore || found.count == limit
        return claim
    }

    /// Creates or skips the runs of a job for its due occurrences, and advances the job.
    private func createRuns(of row: JobRow, now: Date) throws {
        let open = try self.callOpenRuns(of: row, now: now)
        let agenda = DueOccurrences(row.job, open: open.count, now: now)
        var hasOpen = !open.isEmpty
        var last = agenda.entries.first?.skip == nil ? nil : try self.lastRun(ofJob: row.number)
        for entry in agenda.entries {
            if let skip = entry.skip {
                last = try self.skip(entry, as: skip, after: last, of: row, now: now)
                continue
            }
            let isFirst = !hasOpen || row.job.definition.policy.overlap == .allow
            let run = JobRun(entry, of: row.job, claimableAt: isFirst ? now : nil)
            // There is such a run if the clock was set back.
            if try self.insert(run, ofJob: row.number) != nil { hasOpen = true }
            last = nil
        }
        var row = row
        row.job.pass(agenda)
        try self.update(row)
        if !agenda.entries.isEmpty { try self.pruneRuns(ofJob: row.number) }
    }

    /// Adds skipped occurrences to the history, or to its last entry if that was skipped for the same reason.
    private func skip(
        _ entry: DueOccurrences.Entry,
        as skip: JobRun.Skip,
        after last: JobRun?,
        of row: JobRow,
        now: Date
    ) throws -> JobRun? {
        if var last, last.skip == skip, last.trigger == .schedule {
            last.absorb(entry.count, until: entry.occurrence, now: now)
            try self.update(last)
            return last
        }
        var run = JobRun(entry, of: row.job, claimableAt: nil)
        run.leaveOut(as: skip, now: now)
        guard let number = try self.insert(run, ofJob: row.number) else { return nil }
        run.number = number
        return run
    }

    /// Skips the scheduled runs of a paused job that have not started.
    func skipWaitingRuns(of row: JobRow, now: Date) throws {
        for var run in try self.callOpenRuns(of: row, now: now)
        where run.state == .waiting && run.trigger == .schedule {
            run.leaveOut(as: .paused, now: now.keptToMilliseconds)
            try self.update(run)
        }
        try self.callOpenRuns(of: row, now: now)
    }

    /// Locks the run of a lease and its job.
    func heldRun(_ lease: JobLease) throws -> (row: JobRow, run: JobRun) {
        guard let held = try self.lockedRun(lease.run), held.run.isHeld(by: lease.worker, attempt: lease.attempt)
        else { throw StoreError.leaseLost("run \(lease.run)", holder: lease.worker) }
        return held
    }
}

extension SQLTransaction {
    /// Writes a run, and makes the next one claimable if it has ended.
    func save(_ run: JobRun, of row: JobRow, now: Date) throws {
        try self.update(run)
        guard run.state.isFinal || run.worker == nil else { return }
        self.signal(.jobsDue)
        guard run.state.isFinal else { return }
        try self.callOpenRuns(of: row, now: now)
        try self.pruneRuns(ofJob: row.number)
    }

    /// Fails a run that has not ended.
    func failRun(_ id: JobRunID, message: String, now: Date) throws {
        guard case (let row, var run)? = try self.lockedRun(id), !run.state.isFinal else { return }
        let end = JobRunResult(.failed, message: message, isRepeatable: false)
        run.finish(end, policy: row.job.definition.policy, now: now.keptToMilliseconds)
        try self.save(run, of: row, now: now)
    }
}

extension JobRun {
    fileprivate init(_ entry: DueOccurrences.Entry, of job: Job, claimableAt: Date?) {
        self.init(
            id: JobRunID(of: job, dueAt: entry.occurrence),
            trigger: .schedule,
            dueAt: entry.occurrence,
            occurrences: entry.count,
            claimableAt: claimableAt
        )
    }
}
