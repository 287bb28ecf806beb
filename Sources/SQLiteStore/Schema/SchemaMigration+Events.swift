// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// The feed of events, which credentials are in trouble, and webhooks.
    ///
    /// - Changes run one at a time, so an event's number rises in the order in which events become visible;
    ///   `AUTOINCREMENT` never gives a number again, even when the last events were removed.
    /// - `event_horizons` has the last number that was removed of an app's events.
    /// - Webhook states: 0 active, 1 paused, 2 disabled.
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

        CREATE TABLE credential_troubles (
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            environment INTEGER NOT NULL,
            push_type TEXT NOT NULL,
            reason TEXT,
            code TEXT,
            since INTEGER NOT NULL,
            PRIMARY KEY (app, environment, push_type)
        ) STRICT, WITHOUT ROWID;

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
