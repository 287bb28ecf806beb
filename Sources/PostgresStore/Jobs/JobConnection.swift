// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Logging
import PushModel
import PushStore

/// The tables of jobs, within a transaction of a connection.
///
/// Used only by the thread of its connection.
struct JobConnection: JobTables {
    let activities: ActivityConnection

    /// Told of jobs and runs that cannot be read; these are passed over, since they would hold up all others.
    let logger: Logger

    var connection: PostgresConnection { self.activities.connection }

    init(_ connection: PostgresConnection, logger: Logger) {
        self.activities = ActivityConnection(connection)
        self.logger = logger
    }

    func number(ofApp app: AppID) throws -> Int64 { try self.connection.lockedNumber(of: app) }

    // MARK: Jobs

    static let columns = "SELECT jobs.*, apps.id AS app_id FROM jobs JOIN apps ON apps.number = jobs.app"

    private func rows(_ condition: String, _ values: [PostgresValue]) throws -> [JobRow] {
        try self.connection.rows("\(Self.columns) WHERE \(condition)", values).map(JobRow.init(stored:))
    }

    func jobRow(_ id: JobID, app: Int64) throws -> JobRow? {
        try self.rows(
            "jobs.app = $1 AND jobs.id = $2 FOR NO KEY UPDATE OF jobs",
            [.integer(app), .text(id.rawValue)]
        ).first
    }

    /// A job that nobody else changes, and whose app cannot be removed before the transaction ends.
    func jobRow(number: Int64) throws -> JobRow? {
        // Whoever removes an app has it before its jobs.
        let app = try self.connection.row("SELECT app FROM jobs WHERE number = $1", [.integer(number)])
        guard let app = try app?.integer("app") else { return nil }
        try self.connection.queue("SELECT 1 FROM apps WHERE number = $1 FOR KEY SHARE", [.integer(app)])
        return try self.rows("jobs.number = $1 FOR NO KEY UPDATE OF jobs", [.integer(number)]).first
    }

    func dueJobRows(of scope: JobScope, limit: Int, now: Date) throws -> [JobRow] {
        try self.connection.rows(
            """
            \(Self.columns) WHERE jobs.due_at <= $1 AND \(scope.condition(from: 3)) ORDER BY jobs.due_at LIMIT $2
            FOR NO KEY UPDATE OF jobs SKIP LOCKED
            """,
            [.integer(now.millisecondsSince1970), .number(limit)] + scope.values
        ).compactMap { found in
            if let row = try found.readable(in: "jobs", { try JobRow(stored: $0) }) { return row }
            let number = try found.int64("number")
            let next = now.addingTimeInterval(JobRow.damagedDelay).millisecondsSince1970
            try self.connection.queue(
                "UPDATE jobs SET due_at = $2 WHERE number = $1",
                [.integer(number), .integer(next)]
            )
            return nil
        }
    }

    func jobCount(ofApp app: Int64) throws -> Int {
        try self.connection.row("SELECT count(*) AS count FROM jobs WHERE app = $1", [.integer(app)])?
            .number("count") ?? 0
    }

    func insert(_ job: Job, app: Int64) throws -> Int64 {
        let row = JobRow(job, number: 0, app: app)
        let inserted = try self.connection.row(
            """
            INSERT INTO jobs (app, id, definition, is_code, is_paused, next_at, due_at, created_at, updated_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING number
            """,
            [
                .integer(app), .text(job.id.rawValue), .text(try row.storedDefinition), .number(row.storedIsCode),
                .number(job.isPaused ? 1 : 0), .integer(job.nextAt?.millisecondsSince1970),
                .integer(job.dueAt?.millisecondsSince1970), .integer(job.createdAt.millisecondsSince1970),
                .integer(job.updatedAt.millisecondsSince1970),
            ]
        )
        guard let inserted else { throw StoreError.damaged("job") }
        return try inserted.int64("number")
    }

    func update(_ row: JobRow) throws {
        let job = row.job
        try self.connection.queue(
            """
            UPDATE jobs SET definition = $2, is_code = $3, is_paused = $4, next_at = $5, due_at = $6, updated_at = $7
            WHERE number = $1
            """,
            [
                .integer(row.number), .text(try row.storedDefinition), .number(row.storedIsCode),
                .number(job.isPaused ? 1 : 0), .integer(job.nextAt?.millisecondsSince1970),
                .integer(job.dueAt?.millisecondsSince1970), .integer(job.updatedAt.millisecondsSince1970),
            ]
        )
    }

    // MARK: Work

    func activityNumbers(
        fitting query: JobActivities,
        about time: Date,
        app: Int64,
        after place: Int64,
        limit: Int
    ) throws -> [Int64] {
        let span = query.window?.span(about: time)
        let rows = try self.connection.rows(
            """
            SELECT number FROM activities
            WHERE app = $1 AND attributes_type = $2 AND state < 2 AND number > $3 AND ($4::bigint IS NULL OR state = $4)
                AND ($5::text IS NULL OR EXISTS (
                    SELECT FROM activity_instants WHERE activity = activities.number AND name = $5
                        AND time >= $6::bigint AND time < $7::bigint
                ))
            ORDER BY number LIMIT $8
            """,
            [
                .integer(app), .text(query.attributesType.rawValue), .integer(place),
                .number(query.state.map(\.stored)), .text(query.window?.instant.rawValue),
                .integer(span?.lowerBound.millisecondsSince1970), .integer(span?.upperBound.millisecondsSince1970),
                .number(limit),
            ]
        )
        return try rows.map { try $0.int64("number") }
    }

    func create(_ campaign: Campaign, app: Int64, signalling changes: inout [StoreChange]) throws {
        let known = try self.connection.row("SELECT 1 FROM campaigns WHERE id = $1", [.id(campaign.id.value)])
        guard known == nil else { return }
        try self.connection.create(campaign, app: app, telling: &self.activities.news)
        changes.append(.campaignChanged(campaign.id))
    }
}

extension JobScope {
    /// What holds for the jobs of the scope; the first of its ``values`` is the parameter of that number.
    func condition(from parameter: Int) -> String {
        switch self {
        case .builtIn: "jobs.is_code = 0"
        case .code:
            "jobs.is_code = 1 AND jobs.app = (SELECT number FROM apps WHERE id = $\(parameter)) "
                + "AND jobs.id = ANY($\(parameter + 1)::text[])"
        }
    }

    var values: [PostgresValue] {
        switch self {
        case .builtIn: []
        case .code(let app, let jobs): [.text(app.rawValue), .texts(jobs.map(\.rawValue))]
        }
    }
}

extension JobConnection {
    func openRuns(ofJob number: Int64, now: Date) throws -> [JobRun] {
        try self.connection.rows(
            "SELECT * FROM job_runs WHERE job = $1 AND state < 2 ORDER BY number",
            [.integer(number)]
        ).compactMap { found in
            if let run = try found.readable(in: "job_runs", { try JobRun(stored: $0) }) { return run }
            try self.fail(found.int64("number"), as: JobRow.damagedRunReason, now: now)
            return nil
        }
    }

    func lastRun(ofJob number: Int64) throws -> JobRun? {
        let found = try self.connection.row(
            "SELECT * FROM job_runs WHERE job = $1 ORDER BY number DESC LIMIT 1",
            [.integer(number)]
        )
        return try found.flatMap { try $0.readable(in: "job_runs") { try JobRun(stored: $0) } }
    }

    /// A run fails that cannot be read, or whose job cannot.
    private func fail(_ number: Int64, as reason: String, now: Date) throws {
        self.logger.error("Failed a corrupt job run", metadata: ["job.run.number": "\(number)"])
        try self.connection.queue(
            "UPDATE job_runs SET state = 3, claimable_at = NULL, ended_at = $2, message = $3 WHERE number = $1",
            [.integer(number), .integer(now.millisecondsSince1970), .text(reason)]
        )
    }

    func insert(_ run: JobRun, ofJob number: Int64) throws -> Int64? {
        let inserted = try self.connection.row(
            """
            INSERT INTO job_runs (job, id, by_hand, due_at, occurrences, state, attempt, setbacks, processed, place,
                started_at, ended_at, claimable_at, skip, message)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
            ON CONFLICT (id) DO NOTHING RETURNING number
            """,
            [
                .integer(number), .id(run.id.value), .number(run.storedTrigger),
                .integer(run.dueAt.millisecondsSince1970), .number(run.occurrences), .number(run.storedState),
                .number(run.attempt), .number(run.setbacks), .number(run.processed), .integer(run.place),
                .integer(run.startedAt?.millisecondsSince1970), .integer(run.endedAt?.millisecondsSince1970),
                .integer(run.claimableAt?.millisecondsSince1970), .text(run.skip?.rawValue), .text(run.message),
            ]
        )
        return try inserted?.integer("number")
    }

    func update(_ run: JobRun) throws {
        try self.connection.queue(
            """
            UPDATE job_runs SET due_at = $2, occurrences = $3, state = $4, attempt = $5, setbacks = $6, processed = $7,
                place = $8, started_at = $9, ended_at = $10, claimable_at = $11, answer_status = $12, worker = $13,
                skip = $14, message = $15, campaign = $16 WHERE id = $1
            """,
            [
                .id(run.id.value), .integer(run.dueAt.millisecondsSince1970), .number(run.occurrences),
                .number(run.storedState), .number(run.attempt), .number(run.setbacks), .number(run.processed),
                .integer(run.place), .integer(run.startedAt?.millisecondsSince1970),
                .integer(run.endedAt?.millisecondsSince1970), .integer(run.claimableAt?.millisecondsSince1970),
                .number(run.answerStatus), .text(run.worker?.rawValue), .text(run.skip?.rawValue), .text(run.message),
                .id(run.campaign?.value),
            ]
        )
    }

    func claimableRuns(of scope: JobScope, limit: Int, now: Date) throws -> [(row: JobRow, run: JobRun?)] {
        // Both are locked: the run so that what another one has claimed meanwhile is seen, the job as everywhere.
        let runs = try self.connection.rows(
            """
            SELECT job_runs.* FROM job_runs JOIN jobs ON jobs.number = job_runs.job
            WHERE job_runs.claimable_at <= $1 AND \(scope.condition(from: 3))
            ORDER BY job_runs.claimable_at, job_runs.number LIMIT $2
            FOR NO KEY UPDATE OF jobs, job_runs SKIP LOCKED
            """,
            [.integer(now.millisecondsSince1970), .number(limit)] + scope.values
        )
        let numbers = Set(try runs.map { try $0.int64("job") })
        let rows = try self.connection.rows(
            "\(Self.columns) WHERE jobs.number = ANY($1::bigint[])",
            [.integers(numbers.sorted())]
        ).mapReadable(in: "jobs") { try JobRow(stored: $0) }
        let jobs = Dictionary(rows.map { ($0.number, $0) }) { first, _ in first }
        return try runs.compactMap { found in
            let row = jobs[try found.int64("job")]
            if let row, let run = try found.readable(in: "job_runs", { try JobRun(stored: $0) }) { return (row, run) }
            let reason = row == nil ? JobRow.damagedReason : JobRow.damagedRunReason
            try self.fail(found.int64("number"), as: reason, now: now)
            return row.map { ($0, nil) }
        }
    }

    func run(_ id: JobRunID) throws -> (row: JobRow, run: JobRun)? {
        let known = try self.connection.row("SELECT job FROM job_runs WHERE id = $1", [.id(id.value)])
        guard let number = try known?.integer("job"), let row = try self.jobRow(number: number) else { return nil }
        // Read behind the lock of its job.
        let found = try self.connection.row("SELECT * FROM job_runs WHERE id = $1", [.id(id.value)])
        return try found.map { (row, try JobRun(stored: $0)) }
    }

    func pruneRuns(ofJob number: Int64) throws {
        try self.connection.queue(
            """
            DELETE FROM job_runs WHERE job = $1 AND state >= 2 AND number <= (
                SELECT number FROM job_runs WHERE job = $1 ORDER BY number DESC LIMIT 1 OFFSET $2
            )
            """,
            [.integer(number), .number(Job.keptRuns)]
        )
    }
}
