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
            if let row = try readable({ try JobRow(stored: found) }) { return row }
            let number = try found.number("number")
            self.logger.error("A damaged job is left for an hour", metadata: JobRow.names(stored: found))
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
        ).map { Int64(try $0.number("number")) }
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

    /// The values of the ``condition``.
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
