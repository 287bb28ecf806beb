// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// The feed of events, which credentials are in trouble, and webhooks.
    ///
    /// - An event's number is drawn while its app's row in `event_feeds` is locked, which it stays until the transaction
    ///   ends: of an app's events, no smaller number becomes visible behind a greater one. A sequence never gives a number
    ///   again, so that whoever reads on in an app that was created anew misses nothing.
    /// - `horizon` is the last number that was removed of an app's events.
    /// - Webhook states: 0 active, 1 paused, 2 disabled.
    static let events = """
        CREATE SEQUENCE event_numbers

        CREATE TABLE event_feeds (
            app bigint PRIMARY KEY REFERENCES apps (number) ON DELETE CASCADE,
            horizon bigint NOT NULL
        ) WITH (fillfactor = 50)

        INSERT INTO event_feeds (app, horizon) SELECT number, 0 FROM apps

        CREATE TABLE events (
            app bigint NOT NULL,
            number bigint NOT NULL,
            time bigint NOT NULL,
            kind text COLLATE "C" NOT NULL,
            data text NOT NULL,
            PRIMARY KEY (app, number)
        )

        CREATE TABLE credential_troubles (
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            since bigint NOT NULL,
            environment smallint NOT NULL,
            push_type text COLLATE "C" NOT NULL,
            reason text,
            code text,
            PRIMARY KEY (app, environment, push_type)
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
