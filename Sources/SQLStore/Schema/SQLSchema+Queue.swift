// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SQLSchema {
    /// Notifications and the queue of their batches.
    ///
    /// Lanes: 0 urgent, 1 bulk. Batch states: 0 pending, 1 leased, 2 waiting, 3 settled, 4 cancelled, 5 expired, 6
    /// failed, 7 paused. Halts: 1 pause, 2 cancel. Outcome kinds: 1 rejected by APNs, 2 failed.
    /// - A notification is open while batches may be added to it. `open_batches` counts the batches that are not final,
    ///   so the last one is known without a look at the others.
    /// - `resend_of` is the notification whose failed targets this one resends, `resend_through` the last target of its
    ///   part; NULL is the end. The unique index rejects the second of two concurrent resends of the same part.
    /// - `settled_notifications` finds what retention has to prune. It has no foreign key: pruning skips rows whose
    ///   notification is gone.
    /// - `notifications_by_app` also serves the foreign key. Without it, SQLite would scan all notifications for each
    ///   app that is deleted. SQLite has no index by app for the two other tables, because each notification would pay
    ///   for it and few apps are deleted. It finds batches by their notifications, and searches
    ///   `settled_notifications` from the creation of the app on.
    /// - A batch's kind is its routing key; there are few. Their environments: 1 sandbox, 2 production, 3 both.
    /// - Only a batch that is not final has `claimable_at`, and so an entry in `batches_open`. It is 0 for pending
    ///   batches, so they stay ordered by age. A claim reads only the batches that it leases.
    /// - A batch's contents never change and are large. Its state changes often, so it is in another table. With a
    ///   foreign key between the two, SQLite would scan all batches for each content that is removed. The targets are
    ///   tokens, which cannot be compressed; `EXTERNAL` prevents the attempt.
    /// - `batches.held` is the total duration of the pauses, which extends the expiration. `interrupted` is the number
    ///   of consecutive claims that ended without settlement or release: the worker was terminated, or the lease
    ///   expired.
    /// - A transaction that holds a batch cannot send the pending updates of its activity, because the activity's row
    ///   is locked before batches. It sets `needs_relief`, and another transaction sends them.
    static let queue = """
        CREATE TABLE notifications (
            id uuid PRIMARY KEY NOT NULL,
            app bigint NOT NULL, -- SQLite: REFERENCES apps (number) ON DELETE CASCADE
            created_at bigint NOT NULL,
            target_count integer NOT NULL,
            batch_count integer NOT NULL,
            open_batches integer NOT NULL DEFAULT 0, -- PostgreSQL
            is_open boolean NOT NULL,
            resend_of uuid,
            resend_through uuid
        ) STRICT, WITHOUT ROWID; -- PostgreSQL: WITH (fillfactor = 90)
        CREATE INDEX notifications_by_app ON notifications (app);
        CREATE UNIQUE INDEX notifications_by_resent ON notifications (
            resend_of,
            COALESCE(resend_through, X'FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF') -- SQLite
            COALESCE(resend_through, 'ffffffff-ffff-ffff-ffff-ffffffffffff') -- PostgreSQL
        ) WHERE resend_of IS NOT NULL;

        CREATE TABLE settled_notifications (
            settled_at bigint NOT NULL,
            notification uuid NOT NULL,
            app bigint NOT NULL,
            PRIMARY KEY (settled_at, notification)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX settled_notifications_by_app ON settled_notifications (app, notification); -- PostgreSQL

        CREATE TABLE batch_kinds (
            number bigint PRIMARY KEY, -- SQLite
            number identity, -- PostgreSQL
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            environments smallint NOT NULL,
            push_type text COLLATE "C" NOT NULL,
            UNIQUE (app, environments, push_type)
        ) STRICT;

        CREATE TABLE batches (
            id uuid PRIMARY KEY NOT NULL,
            notification uuid NOT NULL, -- SQLite: REFERENCES notifications (id) ON DELETE CASCADE
            app bigint NOT NULL,
            kind bigint NOT NULL,
            claimable_at bigint,
            created_at bigint NOT NULL,
            expires_at bigint,
            held bigint NOT NULL DEFAULT 0,
            ordinal integer NOT NULL,
            next_target integer NOT NULL,
            target_count integer NOT NULL,
            delivered integer NOT NULL,
            setbacks integer NOT NULL,
            lane smallint NOT NULL,
            state smallint NOT NULL,
            halt smallint,
            is_activity smallint NOT NULL DEFAULT 0,
            interrupted smallint NOT NULL DEFAULT 0,
            needs_relief boolean NOT NULL DEFAULT false, -- PostgreSQL
            worker text,
            failure text,
            content bigint NOT NULL, -- SQLite
            deferred bytea
        ) STRICT, WITHOUT ROWID; -- PostgreSQL: WITH (fillfactor = 70, vacuumed_often)
        CREATE INDEX batches_by_notification ON batches (notification, ordinal);
        CREATE INDEX batches_unsettled ON batches (notification, ordinal) WHERE state < 3 OR state = 7; -- SQLite
        CREATE INDEX batches_unsettled ON batches (notification, id) WHERE state < 3 OR state = 7; -- PostgreSQL
        CREATE INDEX batches_by_app ON batches (app); -- PostgreSQL
        CREATE INDEX batches_open ON batches (lane, kind, state, claimable_at, id) WHERE claimable_at IS NOT NULL;
        CREATE INDEX batches_to_relieve ON batches (id) WHERE needs_relief; -- PostgreSQL

        CREATE TABLE batch_contents (
            number bigint PRIMARY KEY NOT NULL, -- SQLite
            batch uuid PRIMARY KEY, -- PostgreSQL
            expiration bigint,
            priority smallint,
            topic text NOT NULL,
            push_type text NOT NULL,
            collapse_id text,
            payload bytea NOT NULL,
            targets bytea NOT NULL
        ) STRICT;
        ALTER TABLE batch_contents ALTER COLUMN targets SET STORAGE EXTERNAL; -- PostgreSQL

        CREATE TABLE batch_counts (
            batch uuid NOT NULL, -- SQLite: REFERENCES batches (id) ON DELETE CASCADE
            kind smallint NOT NULL,
            name text COLLATE "C" NOT NULL,
            count integer NOT NULL,
            PRIMARY KEY (batch, kind, name)
        ) STRICT, WITHOUT ROWID; -- PostgreSQL: WITH (fillfactor = 70, vacuumed_often)

        CREATE TABLE batch_failures (
            batch uuid NOT NULL, -- SQLite: REFERENCES batches (id) ON DELETE CASCADE
            position integer NOT NULL,
            inactive_since bigint,
            kind smallint NOT NULL,
            status smallint,
            name text NOT NULL,
            PRIMARY KEY (batch, position)
        ) STRICT, WITHOUT ROWID;
        """

    /// Campaigns.
    ///
    /// States: 0 scheduled, 1 running, 2 paused, 3 completed, 4 cancelled, 5 expired, 6 failed.
    /// - The definition never changes. The plan is one value because it is only read and written as a whole.
    /// - `runs_since` is the time of the last start or resume, `runs_from` the number of outcomes at that time.
    static let campaigns = """
        CREATE TABLE campaigns (
            id uuid PRIMARY KEY, -- SQLite: NOT NULL REFERENCES notifications (id) ON DELETE CASCADE
            app bigint NOT NULL, -- SQLite: REFERENCES apps (number) ON DELETE CASCADE
            claimable_at bigint,
            planning_at bigint NOT NULL,
            expires_at bigint,
            paused_at bigint,
            runs_since bigint,
            runs_from bigint,
            setbacks integer NOT NULL,
            state smallint NOT NULL,
            planner text,
            reason text,
            definition text NOT NULL,
            plan text
        ) STRICT, WITHOUT ROWID; -- PostgreSQL: WITH (fillfactor = 50, vacuumed_often)
        CREATE INDEX campaigns_by_app ON campaigns (app, id);
        CREATE INDEX campaigns_claimable ON campaigns (claimable_at) WHERE claimable_at IS NOT NULL;
        """

    /// Responses to requests with an idempotency key, and the accepted lines of streams.
    ///
    /// The lines of a stream count from 1. A chunk has the lines from `first_line` up to, but not including,
    /// `end_line`.
    static let requests = """
        CREATE TABLE idempotency_records (
            app bigint NOT NULL, -- SQLite: REFERENCES apps (number) ON DELETE CASCADE
            created_at bigint NOT NULL,
            status smallint NOT NULL,
            notification uuid NOT NULL,
            api_key text COLLATE "C" NOT NULL,
            key text COLLATE "C" NOT NULL,
            request_hash bytea NOT NULL,
            location text,
            body bytea NOT NULL,
            PRIMARY KEY (app, api_key, key)
        ) STRICT;
        CREATE INDEX idempotency_records_by_time ON idempotency_records (created_at);

        CREATE TABLE streams (
            app bigint NOT NULL, -- SQLite: REFERENCES apps (number) ON DELETE CASCADE
            accepted_lines bigint NOT NULL,
            accepted_at bigint NOT NULL,
            id text COLLATE "C" NOT NULL,
            number bigint PRIMARY KEY, -- SQLite
            UNIQUE (app, id) -- SQLite
            PRIMARY KEY (app, id) -- PostgreSQL
        ) STRICT; -- PostgreSQL: WITH (fillfactor = 70, vacuumed_often)
        CREATE INDEX streams_by_time ON streams (accepted_at);

        CREATE TABLE stream_chunks (
            app bigint NOT NULL, -- PostgreSQL
            end_line bigint NOT NULL,
            first_line bigint NOT NULL,
            created_at bigint NOT NULL,
            notification uuid,
            stream bigint NOT NULL REFERENCES streams (number) ON DELETE CASCADE, -- SQLite
            stream text COLLATE "C" NOT NULL, -- PostgreSQL
            entries bytea NOT NULL,
            PRIMARY KEY (stream, end_line) -- SQLite
            PRIMARY KEY (app, stream, end_line) -- PostgreSQL
        ) STRICT;
        """

    /// The event feed, and the webhooks that receive it.
    ///
    /// Webhook states: 0 active, 1 paused, 2 disabled.
    /// - Events become visible in the order of their numbers: on SQLite, changes run one at a time. On PostgreSQL, a
    ///   transaction locks the app's row in `event_feeds` before it takes the number of an event, and keeps the lock
    ///   until its end.
    /// - No number is used twice, even after the last events were removed. So a reader misses nothing if its app is
    ///   deleted and created again.
    /// - `horizon` is the number of the last event of the app that was removed. On SQLite, a feed from which nothing
    ///   was removed has no row.
    /// - `webhooks.event` is the cursor, `lost` the number of events that were removed before they were delivered.
    static let events = """
        CREATE SEQUENCE event_numbers; -- PostgreSQL

        CREATE TABLE event_feeds (
            app bigint PRIMARY KEY NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            horizon bigint NOT NULL
        ) STRICT; -- PostgreSQL: WITH (fillfactor = 50)

        CREATE TABLE events (
            app bigint NOT NULL, -- SQLite: REFERENCES apps (number) ON DELETE CASCADE
            number identity, -- SQLite
            number bigint NOT NULL, -- PostgreSQL
            time bigint NOT NULL,
            PRIMARY KEY (app, number), -- PostgreSQL
            kind text COLLATE "C" NOT NULL,
            data text NOT NULL
        ) STRICT;
        CREATE INDEX events_by_app ON events (app, number); -- SQLite

        CREATE TABLE webhooks (
            id text COLLATE "C" PRIMARY KEY NOT NULL,
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            created_at bigint NOT NULL,
            disabled_at bigint,
            event bigint NOT NULL,
            retry_to bigint,
            failing_since bigint,
            next_attempt bigint NOT NULL,
            lost bigint NOT NULL,
            leased_until bigint,
            failures integer NOT NULL,
            state smallint NOT NULL,
            url text NOT NULL,
            kinds text,
            secret bytea NOT NULL,
            disabled_reason text,
            worker text
        ) STRICT, WITHOUT ROWID; -- PostgreSQL: WITH (fillfactor = 50, vacuumed_often)
        CREATE INDEX webhooks_by_app ON webhooks (app, created_at, id);
        CREATE INDEX webhooks_due ON webhooks (next_attempt, id) WHERE state = 0;

        CREATE TABLE webhook_deliveries (
            number identity,
            time bigint NOT NULL,
            first bigint NOT NULL,
            last bigint NOT NULL,
            milliseconds bigint NOT NULL,
            count integer NOT NULL,
            attempt integer NOT NULL,
            status integer,
            webhook text COLLATE "C" NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
            message text NOT NULL,
            failure text,
            excerpt text
        ) STRICT;
        CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook, number);
        """
}
