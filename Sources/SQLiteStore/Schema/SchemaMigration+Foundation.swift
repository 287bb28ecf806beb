// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The SQL of the migrations, one file for each.
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
