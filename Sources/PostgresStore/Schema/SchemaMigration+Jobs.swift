// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// Jobs and their runs.
    ///
    /// Times are milliseconds since 1970. How states are numbered stands beside what reads them.
    /// - `due_at` of a job is when somebody has to look after its next occurrence, `next_at`, which may be a jitter before
    ///   that; a paused job has none.
    /// - A run without `claimable_at` has ended, or waits for another one to end.
    /// - Whoever makes, claims or ends a run holds its job's row locked; that of the app is locked before it, and those of
    ///   activities and campaigns behind it.
    static let jobs = """
        CREATE TABLE jobs (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            next_at bigint,
            due_at bigint,
            created_at bigint NOT NULL,
            updated_at bigint NOT NULL,
            is_code smallint NOT NULL,
            is_paused smallint NOT NULL,
            id text COLLATE "C" NOT NULL,
            definition text NOT NULL
        )

        CREATE UNIQUE INDEX jobs_by_id ON jobs (app, id)

        CREATE INDEX jobs_due ON jobs (due_at) WHERE due_at IS NOT NULL

        CREATE TABLE job_runs (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            job bigint NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
            due_at bigint NOT NULL,
            started_at bigint,
            ended_at bigint,
            claimable_at bigint,
            place bigint NOT NULL,
            processed bigint NOT NULL,
            occurrences bigint NOT NULL,
            attempt integer NOT NULL,
            setbacks integer NOT NULL,
            answer_status integer,
            by_hand smallint NOT NULL,
            state smallint NOT NULL,
            id uuid NOT NULL UNIQUE,
            campaign uuid,
            worker text COLLATE "C",
            skip text,
            message text
        )

        CREATE INDEX job_runs_by_job ON job_runs (job, number)

        CREATE INDEX job_runs_open ON job_runs (job, number) WHERE state < 2

        CREATE INDEX job_runs_claimable ON job_runs (claimable_at) WHERE claimable_at IS NOT NULL

        CREATE INDEX activities_running ON activities (app, attributes_type, number) WHERE state < 2
        """
}
