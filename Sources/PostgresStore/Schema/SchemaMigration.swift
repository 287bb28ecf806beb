// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The SQL of the migrations.
///
/// An empty line ends a statement. The schema of SQLite describes the tables and columns that both databases have. Comments
/// here describe the differences, and the order in which transactions lock rows.
/// - Tables with very many rows have no foreign keys. A call that inserts such rows locks the row of the app or batch
///   once instead, and deleting an app deletes its rows.
/// - Long columns are last, and columns of 8 bytes first, so no row has padding between them.
/// - A fill factor leaves space in each page, so updates of columns without an index change no index.
/// - Tables that change all the time are vacuumed after 1,000 changes instead of after changes to 20 % of their rows.
enum SchemaMigration {
    /// The tables of a new database.
    static let first = [
        Self.accounts, Self.devices, Self.queue, Self.campaigns, Self.requests, Self.events, Self.topics,
        Self.platforms,
        Self.activities, Self.jobs, Self.workers,
    ].joined(separator: "\n\n")
}

extension SchemaMigration {
    /// Apps, their credentials and API keys, and which of the credentials do not work.
    private static let accounts = """
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

        CREATE TABLE credential_troubles (
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            since bigint NOT NULL,
            environment smallint NOT NULL,
            push_type text COLLATE "C" NOT NULL,
            reason text,
            code text,
            PRIMARY KEY (app, environment, push_type)
        )

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

        CREATE TABLE api_keys (
            app bigint REFERENCES apps (number) ON DELETE CASCADE,
            created_at bigint NOT NULL,
            expires_at bigint,
            revoked_at bigint,
            last_used_at bigint,
            id text COLLATE "C" PRIMARY KEY,
            name text NOT NULL,
            scopes text NOT NULL,
            secret_hash bytea NOT NULL,
            signing_secret bytea
        )

        CREATE INDEX api_keys_by_app ON api_keys (app) WHERE app IS NOT NULL
        """

    /// Devices and the topics that they registered.
    ///
    /// - The primary key is the app and a number from a sequence. So the devices of an app are adjacent in it, ordered by
    ///   registration, and a campaign reads them in one scan. Only lists depend on the order of the numbers.
    /// - Every unique index begins with the app, so the table can be partitioned by app.
    /// - `devices_by_topic` finds the few devices of a rare topic without a scan of all.
    private static let devices = """
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
            user_data text,
            PRIMARY KEY (app, number)
        ) WITH (fillfactor = 90)

        CREATE UNIQUE INDEX devices_by_installation ON devices (app, installation)

        CREATE UNIQUE INDEX devices_by_token ON devices (app, environment, token)

        CREATE INDEX devices_by_user ON devices (app, user_id) WHERE user_id IS NOT NULL

        CREATE INDEX devices_by_topic ON devices USING gin (topics) WHERE topics <> '{}'
        """
}

extension SchemaMigration {
    /// Topics, their subscriptions, and the messages that are to be posted to subscribed URLs.
    ///
    /// - The row in `topic_shares` for all URLs has the app 0.
    /// - `subscriptions.app` is the app of the subscribed device.
    /// - A subscribing transaction locks the topic's row for sharing. Adding a policy and removing unused ones lock it
    ///   exclusively.
    private static let topics = """
        CREATE TABLE topics (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            created_at bigint NOT NULL,
            unsubscribed bigint NOT NULL,
            name text COLLATE "C" NOT NULL UNIQUE,
            attributes text NOT NULL,
            tags text NOT NULL
        )

        CREATE TABLE topic_shares (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            topic bigint NOT NULL,
            app bigint NOT NULL,
            UNIQUE (topic, app)
        )

        CREATE INDEX topic_shares_by_app ON topic_shares (app)

        CREATE TABLE topic_remains (
            share bigint PRIMARY KEY
        )

        CREATE TABLE topic_policies (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            topic bigint NOT NULL,
            digest bytea NOT NULL,
            scope text NOT NULL,
            policy text NOT NULL,
            UNIQUE (topic, digest)
        )

        CREATE TABLE subscriptions (
            id uuid PRIMARY KEY,
            share bigint NOT NULL,
            app bigint NOT NULL,
            device bigint,
            policy bigint NOT NULL,
            created_at bigint NOT NULL,
            state smallint NOT NULL,
            user_id text COLLATE "C",
            url text COLLATE "C",
            attributes text,
            confirmation bytea,
            sealed_user bytea,
            FOREIGN KEY (app, device) REFERENCES devices (app, number) ON DELETE CASCADE
        )

        CREATE INDEX subscriptions_by_share ON subscriptions (share, id)

        CREATE INDEX subscriptions_by_policy ON subscriptions (share, policy, device)

        CREATE UNIQUE INDEX subscriptions_by_device ON subscriptions (app, device, share) WHERE device IS NOT NULL

        CREATE UNIQUE INDEX subscriptions_by_user ON subscriptions (share, user_id) WHERE user_id IS NOT NULL

        CREATE UNIQUE INDEX subscriptions_by_url ON subscriptions (share, url) WHERE url IS NOT NULL

        CREATE INDEX subscriptions_pending ON subscriptions (share, confirmation) WHERE confirmation IS NOT NULL

        CREATE INDEX subscriptions_waiting ON subscriptions (created_at) WHERE state = 0

        CREATE INDEX subscriptions_sealed ON subscriptions (id) WHERE sealed_user IS NOT NULL

        CREATE TABLE topic_messages (
            id uuid PRIMARY KEY,
            created_at bigint NOT NULL,
            topic text COLLATE "C" NOT NULL,
            content bytea NOT NULL
        )

        CREATE TABLE topic_deliveries (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            message uuid NOT NULL,
            subscription uuid NOT NULL,
            due_at bigint NOT NULL,
            attempts integer NOT NULL,
            url text NOT NULL,
            worker text
        )

        CREATE INDEX topic_deliveries_due ON topic_deliveries (due_at, number)

        CREATE INDEX topic_deliveries_by_message ON topic_deliveries (message)

        CREATE INDEX topic_deliveries_by_subscription ON topic_deliveries (subscription, due_at, number)

        CREATE INDEX topic_deliveries_leased ON topic_deliveries (subscription, due_at) WHERE worker IS NOT NULL

        CREATE TABLE delivery_identity (
            number integer PRIMARY KEY CHECK (number = 1),
            certificate text NOT NULL,
            sealed_key bytea NOT NULL
        )
        """

    /// Platform applications of SNS, and the events of their endpoints.
    ///
    /// `endpoint_event_drops` has one row for each server process, so no transaction waits for another one to count.
    private static let platforms = """
        CREATE TABLE platform_applications (
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            created_at bigint NOT NULL,
            environment smallint NOT NULL,
            platform text COLLATE "C" NOT NULL,
            name text COLLATE "C" NOT NULL,
            credential text COLLATE "C" NOT NULL,
            attributes text NOT NULL,
            PRIMARY KEY (platform, name)
        )

        CREATE INDEX platform_applications_by_app ON platform_applications (app)

        CREATE TABLE endpoint_events (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            time bigint NOT NULL,
            due_at bigint NOT NULL,
            notification uuid,
            platform text COLLATE "C" NOT NULL,
            name text COLLATE "C" NOT NULL,
            installation text COLLATE "C" NOT NULL,
            kind text NOT NULL,
            topic text NOT NULL,
            worker text,
            failure text,
            reason text
        )

        CREATE INDEX endpoint_events_due ON endpoint_events (due_at, number)

        CREATE INDEX endpoint_events_by_app ON endpoint_events (app)

        CREATE TABLE endpoint_publications (
            notification uuid PRIMARY KEY REFERENCES notifications (id) ON DELETE CASCADE,
            platform text COLLATE "C" NOT NULL,
            name text COLLATE "C" NOT NULL,
            installation text COLLATE "C" NOT NULL
        )

        CREATE TABLE endpoint_event_drops (
            process integer PRIMARY KEY,
            count bigint NOT NULL
        )
        """
}
