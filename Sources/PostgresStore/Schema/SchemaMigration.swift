// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The SQL of the migrations.
enum SchemaMigration {}

extension SchemaMigration {
    /// Apps, credentials, API keys, devices, the queue of batches, campaigns, and what was answered to requests.
    ///
    /// Times are milliseconds since 1970. Environments: 0 sandbox, 1 production. Lanes: 0 urgent, 1 bulk.
    /// Device states: 0 active, 1 suspect, 2 invalid. Batch states: 0 pending, 1 leased, 2 waiting, 3 settled,
    /// 4 cancelled, 5 expired, 6 failed, 7 paused. Halts: 1 pause, 2 cancel. Outcome kinds: 1 rejected by APNs, 2 failed.
    /// Campaign states: 0 scheduled, 1 running, 2 paused, 3 finished, 4 cancelled, 5 expired, 6 failed.
    /// - A device is keyed by its app and a running number: an app's devices lie side by side in the order of their
    ///   registration, so that a campaign reads them in one sequential scan. Every unique index of `devices` begins with
    ///   the app, so that the table can be partitioned by it. Nothing depends on the numbers' order but the order of lists.
    /// - Nothing refers to another table by a foreign key where very many rows are written: the calls that write such
    ///   rows lock the app's or the batch's row once instead, and whoever removes an app removes its rows.
    /// - A batch's contents never change and are large, so they are kept apart from its state, which changes often and
    ///   in place. Tokens cannot be compressed: that is not tried.
    /// - What decides where a batch goes is its kind; kinds are few. Their environments: 1 sandbox, 2 production, 3 both.
    /// - Only batches that are not final have a time from which they may be claimed, and so a place in `batches_open`. It
    ///   is 0 for pending ones, so that these follow one another by age. A claim reads what it leases and nothing else.
    /// - A notification counts its batches that are not final, so that the last one is known without a look at the others.
    ///   It is open while batches may be added to it, as long as its campaign is planned. Of those that send
    ///   the failed targets of another one again there is one at most.
    /// - A campaign's definition never changes; its plan is one value, since it is only ever read and written whole.
    /// - Texts that are byte by byte in the order of versions are kept beside these: `AppVersion.sortKey`.
    /// - A stream's lines count from 1; a chunk covers those from `first_line` up to, and not with, `end_line`.
    /// - The tables that change all the time are cleaned after a thousand changes, not after a fifth of their rows.
    static let foundation = """
        CREATE TABLE apps (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            created_at bigint NOT NULL,
            default_environment smallint NOT NULL,
            id text COLLATE "C" NOT NULL UNIQUE,
            name text NOT NULL
        )

        CREATE TABLE credentials (
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            created_at bigint NOT NULL,
            sandbox smallint NOT NULL,
            production smallint NOT NULL,
            id text COLLATE "C" PRIMARY KEY,
            key_id text,
            team_id text,
            certificate_format text,
            secret_path text,
            password_path text,
            sealed bytea
        )

        CREATE INDEX credentials_by_app ON credentials (app, created_at)

        CREATE TABLE api_keys (
            app bigint REFERENCES apps (number) ON DELETE CASCADE,
            created_at bigint NOT NULL,
            expires_at bigint,
            revoked_at bigint,
            id text COLLATE "C" PRIMARY KEY,
            name text NOT NULL,
            scopes text NOT NULL,
            secret_hash bytea NOT NULL
        )

        CREATE INDEX api_keys_by_app ON api_keys (app) WHERE app IS NOT NULL

        CREATE SEQUENCE device_numbers

        CREATE TABLE devices (
            app bigint NOT NULL,
            number bigint NOT NULL DEFAULT nextval('device_numbers'),
            registered_at bigint NOT NULL,
            seen_at bigint NOT NULL,
            created_at bigint NOT NULL,
            status_since bigint,
            status smallint NOT NULL,
            environment smallint NOT NULL,
            token bytea NOT NULL,
            installation text COLLATE "C" NOT NULL,
            status_reason text,
            platform text,
            app_version text,
            app_version_key text COLLATE "C",
            locale text,
            time_zone text,
            user_id text COLLATE "C",
            tags jsonb,
            topics text[] NOT NULL,
            PRIMARY KEY (app, number)
        ) WITH (fillfactor = 90)

        CREATE UNIQUE INDEX devices_by_installation ON devices (app, installation)

        CREATE UNIQUE INDEX devices_by_token ON devices (app, environment, token)

        CREATE INDEX devices_by_user ON devices (app, user_id) WHERE user_id IS NOT NULL

        CREATE TABLE notifications (
            id uuid PRIMARY KEY,
            app bigint NOT NULL,
            created_at bigint NOT NULL,
            target_count integer NOT NULL,
            batch_count integer NOT NULL,
            open_batches integer NOT NULL,
            is_open boolean NOT NULL,
            resend_of uuid
        ) WITH (fillfactor = 90)

        CREATE INDEX notifications_by_app ON notifications (app)

        CREATE UNIQUE INDEX notifications_by_resent ON notifications (resend_of) WHERE resend_of IS NOT NULL

        CREATE TABLE batch_contents (
            batch uuid PRIMARY KEY,
            expiration bigint,
            priority smallint,
            topic text NOT NULL,
            push_type text NOT NULL,
            collapse_id text,
            payload bytea NOT NULL,
            targets bytea NOT NULL
        )

        ALTER TABLE batch_contents ALTER COLUMN targets SET STORAGE EXTERNAL

        CREATE TABLE batch_kinds (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            environments smallint NOT NULL,
            push_type text COLLATE "C" NOT NULL,
            UNIQUE (app, environments, push_type)
        )

        CREATE TABLE batches (
            id uuid PRIMARY KEY,
            notification uuid NOT NULL,
            app bigint NOT NULL,
            kind bigint NOT NULL,
            claimable_at bigint,
            created_at bigint NOT NULL,
            expires_at bigint,
            ordinal integer NOT NULL,
            next_target integer NOT NULL,
            target_count integer NOT NULL,
            delivered integer NOT NULL,
            setbacks integer NOT NULL,
            lane smallint NOT NULL,
            state smallint NOT NULL,
            halt smallint,
            worker text,
            failure text,
            deferred bytea
        ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)

        CREATE INDEX batches_by_notification ON batches (notification, ordinal)

        CREATE INDEX batches_unsettled ON batches (notification, id) WHERE state < 3 OR state = 7

        CREATE INDEX batches_by_app ON batches (app)

        CREATE INDEX batches_open ON batches (lane, kind, state, claimable_at, id) WHERE claimable_at IS NOT NULL

        CREATE TABLE batch_counts (
            batch uuid NOT NULL,
            count integer NOT NULL,
            kind smallint NOT NULL,
            name text COLLATE "C" NOT NULL,
            PRIMARY KEY (batch, kind, name)
        ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)

        CREATE TABLE batch_failures (
            batch uuid NOT NULL,
            inactive_since bigint,
            position integer NOT NULL,
            kind smallint NOT NULL,
            status smallint,
            name text NOT NULL,
            PRIMARY KEY (batch, position)
        )

        CREATE TABLE campaigns (
            id uuid PRIMARY KEY,
            app bigint NOT NULL,
            claimable_at bigint,
            planning_at bigint NOT NULL,
            expires_at bigint,
            setbacks integer NOT NULL,
            state smallint NOT NULL,
            planner text,
            reason text,
            definition text NOT NULL,
            plan text
        ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)

        CREATE INDEX campaigns_by_app ON campaigns (app, id)

        CREATE INDEX campaigns_claimable ON campaigns (claimable_at) WHERE claimable_at IS NOT NULL

        CREATE TABLE idempotency_records (
            app bigint NOT NULL,
            created_at bigint NOT NULL,
            status smallint NOT NULL,
            notification uuid NOT NULL,
            api_key text COLLATE "C" NOT NULL,
            key text COLLATE "C" NOT NULL,
            request_hash bytea NOT NULL,
            location text,
            body bytea NOT NULL,
            PRIMARY KEY (app, api_key, key)
        )

        CREATE INDEX idempotency_records_by_time ON idempotency_records (created_at)

        CREATE TABLE streams (
            app bigint NOT NULL,
            accepted_lines bigint NOT NULL,
            accepted_at bigint NOT NULL,
            id text COLLATE "C" NOT NULL,
            PRIMARY KEY (app, id)
        ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)

        CREATE INDEX streams_by_time ON streams (accepted_at)

        CREATE TABLE stream_chunks (
            app bigint NOT NULL,
            end_line bigint NOT NULL,
            first_line bigint NOT NULL,
            created_at bigint NOT NULL,
            notification uuid,
            stream text COLLATE "C" NOT NULL,
            entries bytea NOT NULL,
            PRIMARY KEY (app, stream, end_line)
        )
        """
}

extension SchemaMigration {
    /// What pauses take away from a campaign and give back, since when it runs, and what delivery waits for.
    static let pauses = """
        ALTER TABLE campaigns ADD COLUMN paused_at bigint, ADD COLUMN runs_since bigint, ADD COLUMN runs_from bigint

        ALTER TABLE batches ADD COLUMN held bigint NOT NULL DEFAULT 0

        CREATE TABLE delivery_pauses (
            app bigint NOT NULL,
            since bigint NOT NULL,
            next_attempt bigint NOT NULL,
            environment smallint NOT NULL,
            credential text COLLATE "C" NOT NULL,
            push_types text NOT NULL,
            cause text NOT NULL,
            reason text NOT NULL,
            PRIMARY KEY (app, environment, credential)
        )
        """
}

extension SchemaMigration {
    /// Which notifications are settled, in the order in which they came to that: what is removed for its age is found at
    /// the old end.
    ///
    /// When the settled ones of before came to that is not known; they count from the acceptance of their last batch.
    static let retention = """
        CREATE TABLE settled_notifications (
            settled_at bigint NOT NULL,
            app bigint NOT NULL,
            notification uuid NOT NULL,
            PRIMARY KEY (settled_at, notification)
        )

        INSERT INTO settled_notifications (settled_at, app, notification)
        SELECT
            coalesce(
                (SELECT max(batches.created_at) FROM batches WHERE batches.notification = notifications.id),
                notifications.created_at
            ),
            notifications.app, notifications.id
        FROM notifications WHERE NOT is_open AND open_batches = 0
        """
}

extension SchemaMigration {
    /// What sends the failed targets of a notification again in several parts: up to which one each goes.
    ///
    /// Without a value it goes to the end. Of one notification two parts never go equally far: of two that are made at once
    /// one is refused.
    static let resendParts = """
        ALTER TABLE notifications ADD COLUMN resend_through uuid

        DROP INDEX IF EXISTS notifications_by_resent

        CREATE UNIQUE INDEX notifications_by_resent
            ON notifications (resend_of, (COALESCE(resend_through, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)))
            WHERE resend_of IS NOT NULL
        """
}

extension SchemaMigration {
    /// An app's notifications that are settled are found by it.
    static let owners = """
        CREATE INDEX settled_notifications_by_app ON settled_notifications (app, notification)
        """
}

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
