// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// Notifications, the queue of their batches, and the interruptions of work of all kinds.
    ///
    /// Lanes: 0 urgent, 1 bulk. Batch states: 0 pending, 1 leased, 2 waiting, 3 settled, 4 cancelled, 5 expired, 6 failed,
    /// 7 paused. Halts: 1 pause, 2 cancel. Outcome kinds: 1 rejected by APNs, 2 failed.
    /// - A notification is open while batches may be added to it.
    /// - `resend_of` is the notification whose failed targets this one resends, `resend_through` the last target of its
    ///   part; NULL is the end. The unique index rejects the second of two concurrent resends of the same part.
    /// - `settled_notifications` finds what retention has to prune. It has no foreign key: pruning skips rows whose
    ///   notification is gone.
    /// - `notifications_by_app` also serves the foreign key. Without it, SQLite would scan all notifications for each app
    ///   that is deleted.
    /// - A batch's kind is its routing key; there are few. Their environments: 1 sandbox, 2 production, 3 both.
    /// - Only a batch that is not final has `claimable_at`, and so an entry in `batches_open`. It is 0 for pending batches,
    ///   so they stay ordered by age. A claim reads only the batches that it leases.
    /// - A batch's contents never change and are large. Its state changes often, so it is in another table. With a foreign
    ///   key between the two, SQLite would scan all batches for each content that is removed.
    /// - `batches.held` is the total duration of the pauses, which extends the expiration. `interrupted` is the number of
    ///   consecutive workers that terminated while they had the batch.
    /// - `interruptions.key` is the primary key of the item's row as text, `item` its public ID.
    static let queue = """
        CREATE TABLE notifications (
            id BLOB PRIMARY KEY NOT NULL,
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            created_at INTEGER NOT NULL,
            target_count INTEGER NOT NULL,
            batch_count INTEGER NOT NULL,
            is_open INTEGER NOT NULL DEFAULT 0,
            resend_of BLOB,
            resend_through BLOB
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX notifications_by_app ON notifications (app);
        CREATE UNIQUE INDEX notifications_by_resent
            ON notifications (resend_of, COALESCE(resend_through, X'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF'))
            WHERE resend_of IS NOT NULL;

        CREATE TABLE settled_notifications (
            settled_at INTEGER NOT NULL,
            notification BLOB NOT NULL,
            app INTEGER NOT NULL,
            PRIMARY KEY (settled_at, notification)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX settled_notifications_by_app ON settled_notifications (app, notification);

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
            is_activity INTEGER NOT NULL DEFAULT 0,
            state INTEGER NOT NULL,
            halt INTEGER,
            claimable_at INTEGER,
            next_target INTEGER NOT NULL,
            deferred BLOB,
            target_count INTEGER NOT NULL,
            delivered INTEGER NOT NULL,
            worker TEXT,
            setbacks INTEGER NOT NULL,
            interrupted INTEGER NOT NULL DEFAULT 0,
            failure TEXT,
            created_at INTEGER NOT NULL,
            expires_at INTEGER,
            held INTEGER NOT NULL DEFAULT 0,
            content INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX batches_by_notification ON batches (notification, ordinal);
        CREATE INDEX batches_by_app ON batches (app);
        CREATE INDEX batches_open ON batches (lane, kind, state, claimable_at, id) WHERE claimable_at IS NOT NULL;
        CREATE INDEX batches_unsettled ON batches (notification, ordinal) WHERE state < 3 OR state = 7;

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

        CREATE TABLE interruptions (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            app INTEGER REFERENCES apps (number) ON DELETE CASCADE,
            count INTEGER NOT NULL,
            interrupted_at INTEGER NOT NULL,
            tried_at INTEGER,
            quarantined_at INTEGER,
            reported_at INTEGER,
            kind TEXT NOT NULL,
            key TEXT NOT NULL,
            item TEXT NOT NULL,
            reason TEXT,
            progress TEXT,
            UNIQUE (kind, key)
        ) STRICT;
        CREATE INDEX interruptions_by_app ON interruptions (app) WHERE app IS NOT NULL;
        """

    /// Campaigns.
    ///
    /// States: 0 scheduled, 1 running, 2 paused, 3 finished, 4 cancelled, 5 expired, 6 failed.
    /// - The definition never changes. The plan is one value because it is only read and written as a whole.
    /// - `runs_since` is the time of the last start or resume, `runs_from` the number of outcomes at that time.
    static let campaigns = """
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
            expires_at INTEGER,
            paused_at INTEGER,
            runs_since INTEGER,
            runs_from INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX campaigns_by_app ON campaigns (app, id);
        CREATE INDEX campaigns_claimable ON campaigns (claimable_at) WHERE claimable_at IS NOT NULL;
        """

    /// Responses to requests with an idempotency key, and the accepted lines of streams.
    ///
    /// The lines of a stream count from 1. A chunk has the lines from `first_line` up to, but not including, `end_line`.
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

    /// The event feed, and the webhooks that receive it.
    ///
    /// Webhook states: 0 active, 1 paused, 2 disabled.
    /// - Changes run one at a time, so events become visible in the order of their numbers. `AUTOINCREMENT` uses no number
    ///   twice, even after the last events were removed.
    /// - `event_horizons.number` is the number of the last event of the app that was removed.
    /// - `webhooks.event` is the cursor, `lost` the number of events that were removed before they were delivered.
    static let events = """
        CREATE TABLE events (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            time INTEGER NOT NULL,
            kind TEXT NOT NULL,
            data TEXT NOT NULL
        ) STRICT;
        CREATE INDEX events_by_app ON events (app, number);

        CREATE TABLE event_horizons (
            app INTEGER PRIMARY KEY NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            number INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE webhooks (
            id TEXT PRIMARY KEY NOT NULL,
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            url TEXT NOT NULL,
            kinds TEXT,
            secret BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            state INTEGER NOT NULL,
            disabled_reason TEXT,
            disabled_at INTEGER,
            event INTEGER NOT NULL,
            retry_to INTEGER,
            failures INTEGER NOT NULL,
            failing_since INTEGER,
            next_attempt INTEGER NOT NULL,
            lost INTEGER NOT NULL,
            worker TEXT,
            leased_until INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX webhooks_by_app ON webhooks (app, created_at, id);
        CREATE INDEX webhooks_due ON webhooks (next_attempt, id) WHERE state = 0;

        CREATE TABLE webhook_deliveries (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            webhook TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
            message TEXT NOT NULL,
            time INTEGER NOT NULL,
            first INTEGER NOT NULL,
            last INTEGER NOT NULL,
            count INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            status INTEGER,
            failure TEXT,
            excerpt TEXT,
            milliseconds INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook, number);
        """
}
