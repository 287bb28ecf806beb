// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Logging
import PushModel
import PushStore

extension JobConnection {
    func openRuns(ofJob number: Int64, now: Date) throws -> [JobRun] {
        try self.connection.rows(
            "SELECT * FROM job_runs WHERE job = $1 AND state < 2 ORDER BY number",
            [.integer(number)]
        ).compactMap { found in
            if let run = try readable({ try JobRun(stored: found) }) { return run }
            try self.fail(found.number("number"), as: JobRow.damagedRunReason, now: now)
            return nil
        }
    }

    func lastRun(ofJob number: Int64) throws -> JobRun? {
        let found = try self.connection.row(
            "SELECT * FROM job_runs WHERE job = $1 ORDER BY number DESC LIMIT 1",
            [.integer(number)]
        )
        return try found.flatMap { found in try readable { try JobRun(stored: found) } }
    }

    /// A run fails that cannot be read, or whose job cannot.
    private func fail(_ number: Int, as reason: String, now: Date) throws {
        self.logger.error("A run has failed that is damaged", metadata: ["job.run.number": "\(number)"])
        try self.connection.queue(
            "UPDATE job_runs SET state = 3, claimable_at = NULL, ended_at = $2, message = $3 WHERE number = $1",
            [.number(number), .integer(now.millisecondsSince1970), .text(reason)]
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
        let numbers = Set(try runs.map { Int64(try $0.number("job")) })
        let rows = try self.connection.rows(
            "\(Self.columns) WHERE jobs.number = ANY($1::bigint[])",
            [.integers(numbers.sorted())]
        ).compactMap { found in try readable { try JobRow(stored: found) } }
        let jobs = Dictionary(uniqueKeysWithValues: rows.map { ($0.number, $0) })
        return try runs.compactMap { found in
            let row = jobs[Int64(try found.number("job"))]
            if let row, let run = try readable({ try JobRun(stored: found) }) { return (row, run) }
            let reason = row == nil ? JobRow.damagedReason : JobRow.damagedRunReason
            try self.fail(found.number("number"), as: reason, now: now)
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
