// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// Notifications and the queue of their batches.
    ///
    /// - `open_batches` counts the batches that are not final, so the last one is known without a look at the others.
    /// - The targets of a batch are tokens, which cannot be compressed; `EXTERNAL` prevents the attempt.
    /// - A transaction that holds a batch cannot send the pending updates of its activity, because the activity's row is
    ///   locked before batches. It sets `needs_relief`, and another transaction sends them.
    static let queue = """
        CREATE TABLE notifications (
            id uuid PRIMARY KEY,
            app bigint NOT NULL,
            created_at bigint NOT NULL,
            target_count integer NOT NULL,
            batch_count integer NOT NULL,
            open_batches integer NOT NULL,
            is_open boolean NOT NULL,
            resend_of uuid,
            resend_through uuid
        ) WITH (fillfactor = 90)

        CREATE INDEX notifications_by_app ON notifications (app)

        CREATE UNIQUE INDEX notifications_by_resent
            ON notifications (resend_of, (COALESCE(resend_through, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)))
            WHERE resend_of IS NOT NULL

        CREATE TABLE settled_notifications (
            settled_at bigint NOT NULL,
            app bigint NOT NULL,
            notification uuid NOT NULL,
            PRIMARY KEY (settled_at, notification)
        )

        CREATE INDEX settled_notifications_by_app ON settled_notifications (app, notification)

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
            needs_relief boolean NOT NULL DEFAULT false,
            worker text,
            failure text,
            deferred bytea
        ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)

        CREATE INDEX batches_by_notification ON batches (notification, ordinal)

        CREATE INDEX batches_unsettled ON batches (notification, id) WHERE state < 3 OR state = 7

        CREATE INDEX batches_by_app ON batches (app)

        CREATE INDEX batches_open ON batches (lane, kind, state, claimable_at, id) WHERE claimable_at IS NOT NULL

        CREATE INDEX batches_to_relieve ON batches (id) WHERE needs_relief

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
        """

    /// Campaigns.
    static let campaigns = """
        CREATE TABLE campaigns (
            id uuid PRIMARY KEY,
            app bigint NOT NULL,
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
        ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)

        CREATE INDEX campaigns_by_app ON campaigns (app, id)

        CREATE INDEX campaigns_claimable ON campaigns (claimable_at) WHERE claimable_at IS NOT NULL
        """

    /// Responses to requests with an idempotency key, and the accepted lines of streams.
    static let requests = """
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

    /// The event feed, and the webhooks that receive it.
    ///
    /// - A transaction locks the app's row in `event_feeds` before it takes the number of an event, and keeps the lock until
    ///   its end. So the events of an app become visible in the order of their numbers. The sequence uses no number twice,
    ///   so a reader misses nothing if its app is deleted and created again.
    /// - `horizon` is the number of the last event of the app that was removed.
    static let events = """
        CREATE SEQUENCE event_numbers

        CREATE TABLE event_feeds (
            app bigint PRIMARY KEY REFERENCES apps (number) ON DELETE CASCADE,
            horizon bigint NOT NULL
        ) WITH (fillfactor = 50)

        CREATE TABLE events (
            app bigint NOT NULL,
            number bigint NOT NULL,
            time bigint NOT NULL,
            kind text COLLATE "C" NOT NULL,
            data text NOT NULL,
            PRIMARY KEY (app, number)
        )

        CREATE TABLE webhooks (
            id text COLLATE "C" PRIMARY KEY,
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
        ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)

        CREATE INDEX webhooks_by_app ON webhooks (app, created_at, id)

        CREATE INDEX webhooks_due ON webhooks (next_attempt, id) WHERE state = 0

        CREATE TABLE webhook_deliveries (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
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
        )

        CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (webhook, number)
        """
}
