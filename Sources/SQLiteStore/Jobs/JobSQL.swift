// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Logging
import PushModel
import PushStore
import SQLite

/// The tables of jobs, within a transaction.
struct JobSQL: JobTables {
    let database: Database

    /// Told of jobs and runs that cannot be read; these are passed over, since they would hold up all others.
    let logger: Logger

    var activities: ActivitySQL { ActivitySQL(database: self.database) }

    func number(ofApp app: AppID) throws -> Int64 { try self.database.requiredNumber(of: app) }

    // MARK: Jobs

    static let columns = """
        SELECT jobs.*, apps.id AS app_id FROM jobs CROSS JOIN apps ON apps.number = jobs.app
        """

    private func rows(_ condition: String, _ arguments: StatementArguments) throws -> [JobRow] {
        try self.database.rows("\(Self.columns) WHERE \(condition)", arguments).map(JobRow.init(stored:))
    }

    func jobRow(_ id: JobID, app: Int64) throws -> JobRow? {
        try self.rows("jobs.app = ? AND jobs.id = ?", [app, id.rawValue]).first
    }

    func dueJobRows(of scope: JobScope, limit: Int, now: Date) throws -> [JobRow] {
        try self.database.rows(
            "\(Self.columns) WHERE jobs.due_at <= ? AND \(scope.condition) ORDER BY jobs.due_at LIMIT ?",
            [now.millisecondsSince1970] + scope.arguments + [limit]
        ).compactMap { found in
            if let row = try found.readable(in: "jobs", { try JobRow(stored: $0) }) { return row }
            let number = try found.int64("number")
            let next = now.addingTimeInterval(JobRow.damagedDelay).millisecondsSince1970
            try self.database.run("UPDATE jobs SET due_at = ? WHERE number = ?", [next, number])
            return nil
        }
    }

    func jobCount(ofApp app: Int64) throws -> Int {
        try self.database.row("SELECT count(*) AS count FROM jobs WHERE app = ?", [app])?.number("count") ?? 0
    }

    func insert(_ job: Job, app: Int64) throws -> Int64 {
        let row = JobRow(job, number: 0, app: app)
        try self.database.run(
            """
            INSERT INTO jobs (app, id, definition, is_code, is_paused, next_at, due_at, created_at, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                app, job.id.rawValue, try row.storedDefinition, row.storedIsCode, job.isPaused ? 1 : 0,
                job.nextAt?.millisecondsSince1970, job.dueAt?.millisecondsSince1970,
                job.createdAt.millisecondsSince1970, job.updatedAt.millisecondsSince1970,
            ]
        )
        return self.database.lastInsertedRowID
    }

    func update(_ row: JobRow) throws {
        let job = row.job
        try self.database.run(
            """
            UPDATE jobs SET definition = ?, is_code = ?, is_paused = ?, next_at = ?, due_at = ?, updated_at = ?
            WHERE number = ?
            """,
            [
                try row.storedDefinition, row.storedIsCode, job.isPaused ? 1 : 0,
                job.nextAt?.millisecondsSince1970, job.dueAt?.millisecondsSince1970,
                job.updatedAt.millisecondsSince1970, row.number,
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
        var conditions = ["app = ?", "attributes_type = ?", "state < 2", "number > ?"]
        var values: StatementArguments = [app, query.attributesType.rawValue, place]
        if let state = query.state {
            conditions.append("state = ?")
            values.append(state.stored)
        }
        if let window = query.window {
            let span = window.span(about: time)
            conditions.append(
                "number IN (SELECT activity FROM activity_instants WHERE name = ? AND time >= ? AND time < ?)"
            )
            values.append(window.instant.rawValue)
            values.append(span.lowerBound.millisecondsSince1970)
            values.append(span.upperBound.millisecondsSince1970)
        }
        values.append(limit)
        let condition = conditions.joined(separator: " AND ")
        return try self.database.rows(
            "SELECT number FROM activities WHERE \(condition) ORDER BY number LIMIT ?",
            values
        ).map { try $0.int64("number") }
    }

    func create(_ campaign: Campaign, app: Int64, signalling changes: inout [StoreChange]) throws {
        guard try self.database.campaign(campaign.id) == nil else { return }
        try self.database.create(campaign, app: app, signalling: &changes)
    }
}

extension JobScope {
    /// What holds for the jobs of the scope; as many values as ``arguments`` has.
    var condition: String {
        switch self {
        case .builtIn: "jobs.is_code = 0"
        case .code(_, let jobs):
            "jobs.is_code = 1 AND jobs.app = (SELECT number FROM apps WHERE id = ?) AND jobs.id IN ("
                + jobs.map { _ in "?" }.joined(separator: ", ") + ")"
        }
    }

    var arguments: StatementArguments {
        switch self {
        case .builtIn: []
        case .code(let app, let jobs): [app.rawValue] + jobs.map(\.rawValue)
        }
    }
}

extension Database {
    /// The tables of jobs, with whom they tell of jobs that cannot be read.
    func jobs(_ logger: Logger) -> JobSQL { JobSQL(database: self, logger: logger) }
}

extension JobSQL {
    func openRuns(ofJob number: Int64, now: Date) throws -> [JobRun] {
        try self.database.rows("SELECT * FROM job_runs WHERE job = ? AND state < 2 ORDER BY number", [number])
            .compactMap { found in
                if let run = try found.readable(in: "job_runs", { try JobRun(stored: $0) }) { return run }
                try self.fail(found.int64("number"), as: JobRow.damagedRunReason, now: now)
                return nil
            }
    }

    func lastRun(ofJob number: Int64) throws -> JobRun? {
        let found = try self.database.row("SELECT * FROM job_runs WHERE job = ? ORDER BY number DESC LIMIT 1", [number])
        return try found.flatMap { try $0.readable(in: "job_runs") { try JobRun(stored: $0) } }
    }

    /// A run fails that cannot be read, or whose job cannot.
    private func fail(_ number: Int64, as reason: String, now: Date) throws {
        self.logger.error("Failed a corrupt job run", metadata: ["job.run.number": "\(number)"])
        try self.database.run(
            "UPDATE job_runs SET state = 3, claimable_at = NULL, ended_at = ?, message = ? WHERE number = ?",
            [now.millisecondsSince1970, reason, number]
        )
    }

    func insert(_ run: JobRun, ofJob number: Int64) throws -> Int64? {
        let count = try self.database.run(
            """
            INSERT INTO job_runs (job, id, by_hand, due_at, occurrences, state, attempt, setbacks, processed, place,
                started_at, ended_at, claimable_at, skip, message)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
            """,
            [
                number, run.id.value.stored, run.storedTrigger, run.dueAt.millisecondsSince1970, run.occurrences,
                run.storedState, run.attempt, run.setbacks, run.processed, run.place,
                run.startedAt?.millisecondsSince1970, run.endedAt?.millisecondsSince1970,
                run.claimableAt?.millisecondsSince1970, run.skip?.rawValue, run.message,
            ]
        )
        return count > 0 ? self.database.lastInsertedRowID : nil
    }

    func update(_ run: JobRun) throws {
        try self.database.run(
            """
            UPDATE job_runs SET due_at = ?, occurrences = ?, state = ?, attempt = ?, setbacks = ?, processed = ?,
                place = ?, started_at = ?, ended_at = ?, claimable_at = ?, answer_status = ?, worker = ?, skip = ?,
                message = ?, campaign = ? WHERE id = ?
            """,
            [
                run.dueAt.millisecondsSince1970, run.occurrences, run.storedState, run.attempt, run.setbacks,
                run.processed, run.place, run.startedAt?.millisecondsSince1970, run.endedAt?.millisecondsSince1970,
                run.claimableAt?.millisecondsSince1970, run.answerStatus, run.worker?.rawValue, run.skip?.rawValue,
                run.message, run.campaign?.value.stored, run.id.value.stored,
            ]
        )
    }

    func claimableRuns(of scope: JobScope, limit: Int, now: Date) throws -> [(row: JobRow, run: JobRun?)] {
        let runs = try self.database.rows(
            """
            SELECT job_runs.* FROM job_runs CROSS JOIN jobs ON jobs.number = job_runs.job
            WHERE job_runs.claimable_at <= ? AND \(scope.condition)
            ORDER BY job_runs.claimable_at, job_runs.number LIMIT ?
            """,
            [now.millisecondsSince1970] + scope.arguments + [limit]
        )
        return try runs.compactMap { found in
            let job = try found.int64("job")
            let row = try readable(job, in: "jobs") { try self.jobRow(number: job) } ?? nil
            if let row, let run = try found.readable(in: "job_runs", { try JobRun(stored: $0) }) { return (row, run) }
            let reason = row == nil ? JobRow.damagedReason : JobRow.damagedRunReason
            try self.fail(found.int64("number"), as: reason, now: now)
            return row.map { ($0, nil) }
        }
    }

    func run(_ id: JobRunID) throws -> (row: JobRow, run: JobRun)? {
        let found = try self.database.row("SELECT * FROM job_runs WHERE id = ?", [id.value.stored])
        guard let found, let row = try self.jobRow(number: found.int64("job")) else { return nil }
        return (row, try JobRun(stored: found))
    }

    func pruneRuns(ofJob number: Int64) throws {
        try self.database.run(
            """
            DELETE FROM job_runs WHERE job = ? AND state >= 2 AND number <= (
                SELECT number FROM job_runs WHERE job = ? ORDER BY number DESC LIMIT 1 OFFSET ?
            )
            """,
            [number, number, Job.keptRuns]
        )
    }

    private func jobRow(number: Int64) throws -> JobRow? {
        try self.database.row("\(Self.columns) WHERE jobs.number = ?", [number]).map(JobRow.init(stored:))
    }
}
