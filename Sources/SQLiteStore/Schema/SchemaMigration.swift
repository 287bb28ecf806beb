// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The SQL of the migrations.
enum SchemaMigration {}

extension SchemaMigration {
    /// Apps, credentials, API keys, devices, and the queue of batches.
    ///
    /// Times are milliseconds since 1970. Environments: 0 sandbox, 1 production. Lanes: 0 urgent, 1 bulk.
    /// Device states: 0 active, 1 suspect, 2 invalid. Batch states: 0 pending, 1 leased, 2 waiting, 3 settled,
    /// 4 cancelled, 5 expired, 6 failed. Outcome kinds: 1 rejected by APNs, 2 failed.
    /// - A device's number is its app's number times 2^40 plus a running number: an app's devices lie side by side in
    ///   the order of their registration, so that a campaign reads them in one sequential scan.
    /// - A batch's contents never change and are large, so they are kept apart from its state, which changes often.
    ///   They are removed by hand: a foreign key would look through all batches for each one.
    /// - What decides where a batch goes is its kind; kinds are few. Their environments: 1 sandbox, 2 production, 3 both.
    /// - Only batches that are not final have a time from which they may be claimed, and so a place in `batches_open`. It
    ///   is 0 for pending ones, so that these follow one another by age. A claim reads what it leases and nothing else.
    static let foundation = """
        CREATE TABLE apps (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL,
            default_environment INTEGER NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE credentials (
            id TEXT PRIMARY KEY NOT NULL,
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            key_id TEXT,
            team_id TEXT,
            certificate_format TEXT,
            sandbox INTEGER NOT NULL,
            production INTEGER NOT NULL,
            secret_path TEXT,
            password_path TEXT,
            sealed BLOB,
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX credentials_by_app ON credentials (app, created_at);

        CREATE TABLE api_keys (
            id TEXT PRIMARY KEY NOT NULL,
            name TEXT NOT NULL,
            scopes TEXT NOT NULL,
            app INTEGER REFERENCES apps (number) ON DELETE CASCADE,
            secret_hash BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            expires_at INTEGER,
            revoked_at INTEGER
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE devices (
            number INTEGER PRIMARY KEY NOT NULL,
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            status INTEGER NOT NULL,
            environment INTEGER NOT NULL,
            token BLOB NOT NULL,
            registered_at INTEGER NOT NULL,
            seen_at INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            status_since INTEGER,
            status_reason TEXT,
            platform TEXT,
            app_version TEXT,
            locale TEXT,
            time_zone TEXT,
            user_id TEXT,
            tags TEXT,
            installation TEXT NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX devices_by_installation ON devices (app, installation);
        CREATE UNIQUE INDEX devices_by_token ON devices (app, environment, token);
        CREATE INDEX devices_by_user ON devices (app, user_id) WHERE user_id IS NOT NULL;

        CREATE TABLE device_topics (
            device INTEGER NOT NULL REFERENCES devices (number) ON DELETE CASCADE,
            topic TEXT NOT NULL,
            PRIMARY KEY (device, topic)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX device_topics_by_topic ON device_topics (topic, device);

        CREATE TABLE notifications (
            id BLOB PRIMARY KEY NOT NULL,
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            created_at INTEGER NOT NULL,
            target_count INTEGER NOT NULL,
            batch_count INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE batch_contents (
            number INTEGER PRIMARY KEY NOT NULL,
            topic TEXT NOT NULL,
            push_type TEXT NOT NULL,
            priority INTEGER,
            expiration INTEGER,
            collapse_id TEXT,
            payload BLOB NOT NULL,
            targets BLOB NOT NULL
        ) STRICT;

        CREATE TABLE batch_kinds (
            number INTEGER PRIMARY KEY,
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            environments INTEGER NOT NULL,
            push_type TEXT NOT NULL,
            UNIQUE (app, environments, push_type)
        ) STRICT;

        CREATE TABLE batches (
            id BLOB PRIMARY KEY NOT NULL,
            notification BLOB NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
            ordinal INTEGER NOT NULL,
            app INTEGER NOT NULL,
            lane INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            state INTEGER NOT NULL,
            claimable_at INTEGER,
            next_target INTEGER NOT NULL,
            deferred BLOB,
            target_count INTEGER NOT NULL,
            delivered INTEGER NOT NULL,
            worker TEXT,
            setbacks INTEGER NOT NULL,
            failure TEXT,
            created_at INTEGER NOT NULL,
            expires_at INTEGER,
            content INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX batches_by_notification ON batches (notification, ordinal);
        CREATE INDEX batches_by_app ON batches (app);
        CREATE INDEX batches_open ON batches (lane, kind, state, claimable_at, id) WHERE claimable_at IS NOT NULL;

        CREATE TABLE batch_counts (
            batch BLOB NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
            kind INTEGER NOT NULL,
            name TEXT NOT NULL,
            count INTEGER NOT NULL,
            PRIMARY KEY (batch, kind, name)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE batch_failures (
            batch BLOB NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            name TEXT NOT NULL,
            status INTEGER,
            inactive_since INTEGER,
            PRIMARY KEY (batch, position)
        ) STRICT, WITHOUT ROWID;
        """
}

extension SchemaMigration {
    /// Campaigns, batches that are halted, and app versions that can be compared.
    ///
    /// Campaign states: 0 scheduled, 1 running, 2 paused, 3 finished, 4 cancelled, 5 expired, 6 failed. Batch states: 7
    /// paused, beside those of before. Halts: 1 pause, 2 cancel.
    /// - Texts that are byte by byte in the order of versions are kept beside these: `AppVersion.sortKey`.
    /// - A notification is open while batches may be added to it.
    /// - A campaign's definition never changes; its plan is one value, since it is only ever read and written whole.
    static let campaigns = """
        ALTER TABLE devices ADD COLUMN app_version_key TEXT;
        UPDATE devices SET app_version_key = \(AppVersionKey.name)(app_version) WHERE app_version IS NOT NULL;

        ALTER TABLE notifications ADD COLUMN is_open INTEGER NOT NULL DEFAULT 0;

        ALTER TABLE batches ADD COLUMN halt INTEGER;
        CREATE INDEX batches_unsettled ON batches (notification, ordinal) WHERE state < 3 OR state = 7;

        CREATE TABLE campaigns (
            id BLOB PRIMARY KEY NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            definition TEXT NOT NULL,
            state INTEGER NOT NULL,
            reason TEXT,
            plan TEXT,
            planner TEXT,
            claimable_at INTEGER,
            setbacks INTEGER NOT NULL,
            planning_at INTEGER NOT NULL,
            expires_at INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX campaigns_by_app ON campaigns (app, id);
        CREATE INDEX campaigns_claimable ON campaigns (claimable_at) WHERE claimable_at IS NOT NULL;
        """
}

extension SchemaMigration {
    /// What was answered to requests, and how far streams have come, so that neither is carried out twice.
    ///
    /// Times are milliseconds since 1970. A stream's lines count from 1; a chunk covers those from `first_line` up to, and
    /// not with, `end_line`.
    static let requests = """
        CREATE TABLE idempotency_records (
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            api_key TEXT NOT NULL,
            key TEXT NOT NULL,
            request_hash BLOB NOT NULL,
            notification BLOB NOT NULL,
            status INTEGER NOT NULL,
            location TEXT,
            body BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (app, api_key, key)
        ) STRICT;
        CREATE INDEX idempotency_records_by_time ON idempotency_records (created_at);

        CREATE TABLE streams (
            number INTEGER PRIMARY KEY,
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            id TEXT NOT NULL,
            accepted_lines INTEGER NOT NULL,
            accepted_at INTEGER NOT NULL,
            UNIQUE (app, id)
        ) STRICT;
        CREATE INDEX streams_by_time ON streams (accepted_at);

        CREATE TABLE stream_chunks (
            stream INTEGER NOT NULL REFERENCES streams (number) ON DELETE CASCADE,
            end_line INTEGER NOT NULL,
            first_line INTEGER NOT NULL,
            notification BLOB,
            entries BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (stream, end_line)
        ) STRICT;
        """
}

extension SchemaMigration {
    /// How far the numbers of an app's devices were given when the newest one of them went: none is given twice.
    ///
    /// The place of a campaign in its audience is such a number, and a device that registers later must not come before it.
    static let deviceNumbers = """
        ALTER TABLE apps ADD COLUMN numbered_through INTEGER NOT NULL DEFAULT 0;

        CREATE TRIGGER devices_numbered AFTER DELETE ON devices
        WHEN NOT EXISTS (SELECT 1 FROM devices WHERE number > OLD.number AND number < (OLD.app + 1) << 40)
        BEGIN
            UPDATE apps SET numbered_through = OLD.number WHERE number = OLD.app AND numbered_through < OLD.number;
        END;
        """
}

extension SchemaMigration {
    /// What pauses take away from a campaign and give back, since when it runs, and what delivery waits for.
    static let pauses = """
        ALTER TABLE campaigns ADD COLUMN paused_at INTEGER;
        ALTER TABLE campaigns ADD COLUMN runs_since INTEGER;
        ALTER TABLE campaigns ADD COLUMN runs_from INTEGER;
        ALTER TABLE batches ADD COLUMN held INTEGER NOT NULL DEFAULT 0;

        CREATE TABLE delivery_pauses (
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            environment INTEGER NOT NULL,
            credential TEXT NOT NULL,
            push_types TEXT NOT NULL,
            cause TEXT NOT NULL,
            reason TEXT NOT NULL,
            since INTEGER NOT NULL,
            next_attempt INTEGER NOT NULL,
            PRIMARY KEY (app, environment, credential)
        ) STRICT, WITHOUT ROWID;
        """
}

extension SchemaMigration {
    /// Which notifications are settled, in the order in which they came to that: what is removed for its age is found at
    /// the old end.
    ///
    /// Nothing refers to a table by a foreign key here: a notification that is gone leaves a place that is passed over.
    /// When the settled ones of before came to that is not known; they count from the acceptance of their last batch.
    static let retention = """
        CREATE TABLE settled_notifications (
            settled_at INTEGER NOT NULL,
            notification BLOB NOT NULL,
            app INTEGER NOT NULL,
            PRIMARY KEY (settled_at, notification)
        ) STRICT, WITHOUT ROWID;

        INSERT INTO settled_notifications (settled_at, notification, app)
        SELECT
            coalesce(
                (SELECT max(batches.created_at) FROM batches WHERE batches.notification = notifications.id),
                notifications.created_at
            ),
            notifications.id, notifications.app
        FROM notifications
        WHERE NOT is_open AND NOT EXISTS (
            SELECT 1 FROM batches WHERE batches.notification = notifications.id AND (state < 3 OR state = 7)
        );
        """
}

extension SchemaMigration {
    /// Notifications that send the failed targets of another one again; of each there is one at most.
    static let resending = """
        ALTER TABLE notifications ADD COLUMN resend_of BLOB;
        CREATE UNIQUE INDEX notifications_by_resent ON notifications (resend_of) WHERE resend_of IS NOT NULL;
        """
}

extension SchemaMigration {
    /// What sends the failed targets of a notification again in several parts: up to which one each goes.
    ///
    /// Without a value it goes to the end. Of one notification two parts never go equally far: of two that are made at once
    /// one is refused.
    static let resendParts = """
        ALTER TABLE notifications ADD COLUMN resend_through BLOB;
        DROP INDEX IF EXISTS notifications_by_resent;
        CREATE UNIQUE INDEX notifications_by_resent
            ON notifications (resend_of, COALESCE(resend_through, X'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF'))
            WHERE resend_of IS NOT NULL;
        """
}

extension SchemaMigration {
    /// An app's notifications, and those of them that are settled, are found by it.
    ///
    /// The first index also serves the foreign key: without one, SQLite looks through all notifications for each app that
    /// is removed.
    static let owners = """
        CREATE INDEX notifications_by_app ON notifications (app);
        CREATE INDEX settled_notifications_by_app ON settled_notifications (app, notification);
        """
}

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
