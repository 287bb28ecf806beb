// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// Topics, what is subscribed to them, and what is to be posted to URLs that are.
    ///
    /// - An app that has a topic has a share of it, and so have the URLs together, under no app. Subscriptions belong to a
    ///   share: when that goes they are gone, however many rows are left; `topic_remains` names those that are to be removed.
    /// - `policy` is the number of a row in `topic_policies`, or 0. `device` is the number of a device that is subscribed itself.
    /// - Subscriptions that have a device go with it; what else belongs to an app is removed with its shares.
    /// - A delivery's `due_at` is when its lease lapses while a worker has it.
    static let topics = """
        CREATE TABLE topics (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL UNIQUE,
            attributes TEXT NOT NULL,
            tags TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            unsubscribed INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE topic_shares (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            topic INTEGER NOT NULL REFERENCES topics (number),
            app INTEGER REFERENCES apps (number)
        ) STRICT;
        CREATE UNIQUE INDEX topic_shares_by_topic ON topic_shares (topic, coalesce(app, 0));
        CREATE INDEX topic_shares_by_app ON topic_shares (app);

        CREATE TABLE topic_remains (
            share INTEGER PRIMARY KEY NOT NULL
        ) STRICT;

        CREATE TABLE topic_policies (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            topic INTEGER NOT NULL,
            digest BLOB NOT NULL,
            scope TEXT NOT NULL,
            policy TEXT NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX topic_policies_by_digest ON topic_policies (topic, digest);

        CREATE TABLE subscriptions (
            id BLOB PRIMARY KEY NOT NULL,
            share INTEGER NOT NULL,
            device INTEGER REFERENCES devices (number) ON DELETE CASCADE,
            user_id TEXT,
            url TEXT,
            policy INTEGER NOT NULL,
            state INTEGER NOT NULL,
            attributes TEXT,
            confirmation BLOB,
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX subscriptions_by_share ON subscriptions (share, id);
        CREATE INDEX subscriptions_by_policy ON subscriptions (share, policy, device);
        CREATE UNIQUE INDEX subscriptions_by_device ON subscriptions (device, share);
        CREATE UNIQUE INDEX subscriptions_by_user ON subscriptions (share, user_id) WHERE user_id IS NOT NULL;
        CREATE UNIQUE INDEX subscriptions_by_url ON subscriptions (share, url) WHERE url IS NOT NULL;
        CREATE INDEX subscriptions_pending ON subscriptions (share, confirmation) WHERE confirmation IS NOT NULL;
        CREATE INDEX subscriptions_waiting ON subscriptions (created_at) WHERE state = 0;

        CREATE TABLE topic_messages (
            id BLOB PRIMARY KEY NOT NULL,
            topic TEXT NOT NULL,
            content BLOB NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE topic_deliveries (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            message BLOB NOT NULL,
            subscription BLOB NOT NULL,
            url TEXT NOT NULL,
            attempts INTEGER NOT NULL,
            due_at INTEGER NOT NULL,
            worker TEXT
        ) STRICT;
        CREATE INDEX topic_deliveries_due ON topic_deliveries (due_at, number);
        CREATE INDEX topic_deliveries_by_message ON topic_deliveries (message);
        """
}

extension SchemaMigration {
    /// What posting to the URLs that are subscribed to topics needs beside its queue.
    ///
    /// - The indices find what waits for one subscription, and which subscriptions are being posted to.
    /// - `delivery_identity` has one row at most: what signs deliveries, the key sealed.
    static let topicQueues = """
        CREATE INDEX topic_deliveries_by_subscription ON topic_deliveries (subscription, due_at, number);
        CREATE INDEX topic_deliveries_leased ON topic_deliveries (subscription, due_at) WHERE worker IS NOT NULL;

        CREATE TABLE delivery_identity (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            certificate TEXT NOT NULL,
            sealed_key BLOB NOT NULL
        ) STRICT;
        """
}

extension SchemaMigration {
    /// What the SNS endpoint knows beside apps and devices.
    ///
    /// - `platform_applications` has the names that callers give to apps in one environment; `attributes` is a JSON object of
    ///   texts. `credential` may name one that has been removed since.
    /// - `user_data` is what a caller keeps with a device.
    /// - `signing_secret` is the secret of an access key, sealed.
    static let platforms = """
        CREATE TABLE platform_applications (
            platform TEXT NOT NULL,
            name TEXT NOT NULL,
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            environment INTEGER NOT NULL,
            credential TEXT NOT NULL,
            attributes TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (platform, name)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX platform_applications_by_app ON platform_applications (app);

        ALTER TABLE devices ADD COLUMN user_data TEXT;

        ALTER TABLE api_keys ADD COLUMN signing_secret BLOB;
        """
}

extension SchemaMigration {
    /// What became of endpoints and is still to be published to the topic that their application names for it.
    static let endpointEvents = """
        CREATE TABLE endpoint_events (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            platform TEXT NOT NULL,
            name TEXT NOT NULL,
            installation TEXT NOT NULL,
            kind TEXT NOT NULL,
            topic TEXT NOT NULL,
            time INTEGER NOT NULL,
            due_at INTEGER NOT NULL,
            worker TEXT
        ) STRICT;
        CREATE INDEX endpoint_events_due ON endpoint_events (due_at, number);
        CREATE INDEX endpoint_events_by_app ON endpoint_events (app);
        """
}

extension SchemaMigration {
    /// What was published to one endpoint, until it is removed, and what is to be told of it when it has failed.
    ///
    /// - `endpoint_publications` has rows only of applications that want to be told.
    /// - `endpoint_event_drops` counts events that found no room since somebody last looked.
    static let endpointFailures = """
        CREATE TABLE endpoint_publications (
            notification BLOB PRIMARY KEY NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
            platform TEXT NOT NULL,
            name TEXT NOT NULL,
            installation TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        ALTER TABLE endpoint_events ADD COLUMN notification BLOB;
        ALTER TABLE endpoint_events ADD COLUMN failure TEXT;
        ALTER TABLE endpoint_events ADD COLUMN reason TEXT;

        CREATE TABLE endpoint_event_drops (
            number INTEGER PRIMARY KEY NOT NULL,
            count INTEGER NOT NULL
        ) STRICT;
        """
}

extension SchemaMigration {
    /// When each API key was last used.
    static let keyUses = """
        ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;
        """

    /// User and password of subscribed URLs, sealed.
    static let subscriptionUsers = """
        ALTER TABLE subscriptions ADD COLUMN sealed_user BLOB;
        CREATE INDEX subscriptions_sealed ON subscriptions (id) WHERE sealed_user IS NOT NULL;
        """

    /// How many workers in a row were terminated while they had a batch.
    static let interruptions = """
        ALTER TABLE batches ADD COLUMN interrupted INTEGER NOT NULL DEFAULT 0;
        """

    /// The items of work that workers had when they were terminated, and those that are quarantined.
    ///
    /// `key` is the primary key of the item's row as text, `item` its public ID.
    static let workInterruptions = """
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
}
