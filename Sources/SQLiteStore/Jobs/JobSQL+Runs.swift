// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Logging
import PushModel
import PushStore
import SQLite

extension JobSQL {
    func openRuns(ofJob number: Int64, now: Date) throws -> [JobRun] {
        try self.database.rows("SELECT * FROM job_runs WHERE job = ? AND state < 2 ORDER BY number", [number])
            .compactMap { found in
                if let run = try readable({ try JobRun(stored: found) }) { return run }
                try self.fail(found.number("number"), as: JobRow.damagedRunReason, now: now)
                return nil
            }
    }

    func lastRun(ofJob number: Int64) throws -> JobRun? {
        let found = try self.database.row("SELECT * FROM job_runs WHERE job = ? ORDER BY number DESC LIMIT 1", [number])
        return try found.flatMap { found in try readable { try JobRun(stored: found) } }
    }

    /// A run fails that cannot be read, or whose job cannot.
    private func fail(_ number: Int, as reason: String, now: Date) throws {
        self.logger.error("A run has failed that is damaged", metadata: ["job.run.number": "\(number)"])
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
            let row = try readable { try self.jobRow(number: Int64(found.number("job"))) } ?? nil
            if let row, let run = try readable({ try JobRun(stored: found) }) { return (row, run) }
            let reason = row == nil ? JobRow.damagedReason : JobRow.damagedRunReason
            try self.fail(found.number("number"), as: reason, now: now)
            return row.map { ($0, nil) }
        }
    }

    func run(_ id: JobRunID) throws -> (row: JobRow, run: JobRun)? {
        let found = try self.database.row("SELECT * FROM job_runs WHERE id = ?", [id.value.stored])
        guard let found, let row = try self.jobRow(number: Int64(found.number("job"))) else { return nil }
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
