// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The SQL of the migrations.
///
/// Times are milliseconds since 1970. Environments: 0 sandbox, 1 production. The decoders of the rows define the other
/// numbers and the stored JSON.
enum SchemaMigration {
    /// The tables of a new database.
    static let first = [
        Self.accounts, Self.devices, Self.queue, Self.campaigns, Self.requests, Self.events, Self.topics,
        Self.platforms,
        Self.activities, Self.jobs,
    ].joined(separator: "\n\n")
}

extension SchemaMigration {
    /// Apps, their credentials and API keys, and which of the credentials do not work.
    ///
    /// - `apps.numbered_through` is the highest device number of the app when its latest device was deleted; see
    ///   ``devices``.
    /// - `api_keys.signing_secret` is the secret access key of SNS requests, sealed.
    /// - `delivery_pauses` has the open circuits, so that every process can report them.
    private static let accounts = """
        CREATE TABLE apps (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            name TEXT NOT NULL,
            default_environment INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            numbered_through INTEGER NOT NULL DEFAULT 0
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

        CREATE TABLE credential_troubles (
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            environment INTEGER NOT NULL,
            push_type TEXT NOT NULL,
            reason TEXT,
            code TEXT,
            since INTEGER NOT NULL,
            PRIMARY KEY (app, environment, push_type)
        ) STRICT, WITHOUT ROWID;

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

        CREATE TABLE api_keys (
            id TEXT PRIMARY KEY NOT NULL,
            name TEXT NOT NULL,
            scopes TEXT NOT NULL,
            app INTEGER REFERENCES apps (number) ON DELETE CASCADE,
            secret_hash BLOB NOT NULL,
            signing_secret BLOB,
            created_at INTEGER NOT NULL,
            expires_at INTEGER,
            revoked_at INTEGER,
            last_used_at INTEGER
        ) STRICT, WITHOUT ROWID;
        """

    /// Devices and the topics that they registered.
    ///
    /// Device states: 0 active, 1 suspect, 2 invalid.
    /// - A device's number is its app's number times 2^40 plus a running number. So the devices of an app are adjacent,
    ///   ordered by registration, and a campaign reads them in one sequential scan.
    /// - No number is used twice, because the cursor of a campaign is such a number: a device that registers later must
    ///   not get a lower one. The trigger keeps the highest number when its device is deleted.
    /// - `app_version_key` is the version as a text whose bytes sort like versions: `AppVersion.sortKey`.
    /// - `user_data` is the custom user data of a platform endpoint.
    private static let devices = """
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
            app_version_key TEXT,
            locale TEXT,
            time_zone TEXT,
            user_id TEXT,
            tags TEXT,
            installation TEXT NOT NULL,
            user_data TEXT
        ) STRICT;
        CREATE UNIQUE INDEX devices_by_installation ON devices (app, installation);
        CREATE UNIQUE INDEX devices_by_token ON devices (app, environment, token);
        CREATE INDEX devices_by_user ON devices (app, user_id) WHERE user_id IS NOT NULL;

        CREATE TRIGGER devices_numbered AFTER DELETE ON devices
        WHEN NOT EXISTS (SELECT 1 FROM devices WHERE number > OLD.number AND number < (OLD.app + 1) << 40)
        BEGIN
            UPDATE apps SET numbered_through = OLD.number WHERE number = OLD.app AND numbered_through < OLD.number;
        END;

        CREATE TABLE device_topics (
            device INTEGER NOT NULL REFERENCES devices (number) ON DELETE CASCADE,
            topic TEXT NOT NULL,
            PRIMARY KEY (device, topic)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX device_topics_by_topic ON device_topics (topic, device);
        """
}

extension SchemaMigration {
    /// Topics, their subscriptions, and the messages that are to be posted to subscribed URLs.
    ///
    /// - Each app that uses a topic has a row in `topic_shares`. All URLs together have one more, whose `app` is NULL. A
    ///   subscription belongs to such a row and ends with it, even while the subscription's own row remains:
    ///   `topic_remains` names the shares whose rows are still to be removed.
    /// - `policy` is the number of a row in `topic_policies`, or 0. `device` is the number of the subscribed device. A
    ///   subscription with a device is removed with it.
    /// - The deliveries of a subscription are its queue. `due_at` of a leased delivery is when the lease expires.
    /// - `delivery_identity` has at most one row: the certificate that signs deliveries, and its key, sealed.
    /// - `sealed_user` is the user name and password for the URL.
    private static let topics = """
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
            sealed_user BLOB,
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
        CREATE INDEX subscriptions_sealed ON subscriptions (id) WHERE sealed_user IS NOT NULL;

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
        CREATE INDEX topic_deliveries_by_subscription ON topic_deliveries (subscription, due_at, number);
        CREATE INDEX topic_deliveries_leased ON topic_deliveries (subscription, due_at) WHERE worker IS NOT NULL;

        CREATE TABLE delivery_identity (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            certificate TEXT NOT NULL,
            sealed_key BLOB NOT NULL
        ) STRICT;
        """

    /// Platform applications of SNS, and the events of their endpoints.
    ///
    /// - A platform application names an app in one environment. `attributes` is a JSON object of texts. `credential` may
    ///   name one that was removed.
    /// - `endpoint_events` are still to be published to the topic that the application names for them.
    /// - `endpoint_publications` are the notifications to one endpoint whose application wants an event if they fail.
    /// - `endpoint_event_drops` counts the events that exceeded the limit and are not logged yet.
    private static let platforms = """
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
            worker TEXT,
            notification BLOB,
            failure TEXT,
            reason TEXT
        ) STRICT;
        CREATE INDEX endpoint_events_due ON endpoint_events (due_at, number);
        CREATE INDEX endpoint_events_by_app ON endpoint_events (app);

        CREATE TABLE endpoint_publications (
            notification BLOB PRIMARY KEY NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
            platform TEXT NOT NULL,
            name TEXT NOT NULL,
            installation TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE endpoint_event_drops (
            number INTEGER PRIMARY KEY NOT NULL,
            count INTEGER NOT NULL
        ) STRICT;
        """
}
