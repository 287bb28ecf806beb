// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// Jobs and their runs.
    ///
    /// Times are milliseconds since 1970. How states are numbered stands beside what reads them.
    /// - `due_at` of a job is when somebody has to look after its next occurrence, `next_at`, which may be a jitter before
    ///   that; a paused job has none.
    /// - A run without `claimable_at` has ended, or waits for another one to end.
    static let jobs = """
        CREATE TABLE jobs (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            id TEXT NOT NULL,
            definition TEXT NOT NULL,
            is_code INTEGER NOT NULL,
            is_paused INTEGER NOT NULL,
            next_at INTEGER,
            due_at INTEGER,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT;

        CREATE UNIQUE INDEX jobs_by_id ON jobs (app, id);

        CREATE INDEX jobs_due ON jobs (due_at) WHERE due_at IS NOT NULL;

        CREATE TABLE job_runs (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            job INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
            id BLOB NOT NULL UNIQUE,
            by_hand INTEGER NOT NULL,
            due_at INTEGER NOT NULL,
            occurrences INTEGER NOT NULL,
            state INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            setbacks INTEGER NOT NULL,
            processed INTEGER NOT NULL,
            place INTEGER NOT NULL,
            started_at INTEGER,
            ended_at INTEGER,
            claimable_at INTEGER,
            answer_status INTEGER,
            worker TEXT,
            skip TEXT,
            message TEXT,
            campaign BLOB
        ) STRICT;

        CREATE INDEX job_runs_by_job ON job_runs (job, number);

        CREATE INDEX job_runs_open ON job_runs (job, number) WHERE state < 2;

        CREATE INDEX job_runs_claimable ON job_runs (claimable_at) WHERE claimable_at IS NOT NULL;

        CREATE INDEX activities_running ON activities (app, attributes_type, number) WHERE state < 2;
        """
}
