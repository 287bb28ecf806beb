// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// Topics, what is subscribed to them, and what is to be posted to URLs that are.
    ///
    /// - An app that has a topic has a share of it, and so have the URLs together, under the app 0. Subscriptions belong to a
    ///   share: when that goes they are gone, however many rows are left; `topic_remains` names those that are to be removed.
    /// - `policy` is the number of a row in `topic_policies`, or 0. `device` is the number of a device that is subscribed
    ///   itself, `app` its app.
    /// - Subscriptions that have a device go with it; what else belongs to an app is removed with its shares.
    /// - Whoever subscribes holds the topic's row; whoever adds a policy, or removes those that nobody has, holds it alone.
    /// - A delivery's `due_at` is when its lease lapses while a worker has it.
    /// - Devices that told a topic are found by it, since a publication to few of very many must not look at all.
    static let topics = """
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
            FOREIGN KEY (app, device) REFERENCES devices (app, number) ON DELETE CASCADE
        )

        CREATE INDEX subscriptions_by_share ON subscriptions (share, id)

        CREATE INDEX subscriptions_by_policy ON subscriptions (share, policy, device)

        CREATE UNIQUE INDEX subscriptions_by_device ON subscriptions (app, device, share) WHERE device IS NOT NULL

        CREATE UNIQUE INDEX subscriptions_by_user ON subscriptions (share, user_id) WHERE user_id IS NOT NULL

        CREATE UNIQUE INDEX subscriptions_by_url ON subscriptions (share, url) WHERE url IS NOT NULL

        CREATE INDEX subscriptions_pending ON subscriptions (share, confirmation) WHERE confirmation IS NOT NULL

        CREATE INDEX subscriptions_waiting ON subscriptions (created_at) WHERE state = 0

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

        CREATE INDEX devices_by_topic ON devices USING gin (topics) WHERE topics <> '{}'
        """
}

extension SchemaMigration {
    /// What posting to the URLs that are subscribed to topics needs beside its queue.
    ///
    /// - The indices find what waits for one subscription, and which subscriptions are being posted to.
    /// - `delivery_identity` has one row at most: what signs deliveries, the key sealed.
    static let topicQueues = """
        CREATE INDEX topic_deliveries_by_subscription ON topic_deliveries (subscription, due_at, number)

        CREATE INDEX topic_deliveries_leased ON topic_deliveries (subscription, due_at) WHERE worker IS NOT NULL

        CREATE TABLE delivery_identity (
            number integer PRIMARY KEY CHECK (number = 1),
            certificate text NOT NULL,
            sealed_key bytea NOT NULL
        )
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

        ALTER TABLE devices ADD COLUMN user_data text

        ALTER TABLE api_keys ADD COLUMN signing_secret bytea
        """
}

extension SchemaMigration {
    /// What became of endpoints and is still to be published to the topic that their application names for it.
    static let endpointEvents = """
        CREATE TABLE endpoint_events (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            time bigint NOT NULL,
            due_at bigint NOT NULL,
            platform text COLLATE "C" NOT NULL,
            name text COLLATE "C" NOT NULL,
            installation text COLLATE "C" NOT NULL,
            kind text NOT NULL,
            topic text NOT NULL,
            worker text
        )

        CREATE INDEX endpoint_events_due ON endpoint_events (due_at, number)

        CREATE INDEX endpoint_events_by_app ON endpoint_events (app)
        """
}

extension SchemaMigration {
    /// What was published to one endpoint, until it is removed, and what is to be told of it when it has failed.
    ///
    /// - `endpoint_publications` has rows only of applications that want to be told.
    /// - `endpoint_event_drops` counts events that found no room since somebody last looked, in a row for each process of
    ///   the database: so no two transactions wait for one another.
    static let endpointFailures = """
        CREATE TABLE endpoint_publications (
            notification uuid PRIMARY KEY REFERENCES notifications (id) ON DELETE CASCADE,
            platform text COLLATE "C" NOT NULL,
            name text COLLATE "C" NOT NULL,
            installation text COLLATE "C" NOT NULL
        )

        ALTER TABLE endpoint_events ADD COLUMN notification uuid, ADD COLUMN failure text, ADD COLUMN reason text

        CREATE TABLE endpoint_event_drops (
            process integer PRIMARY KEY,
            count bigint NOT NULL
        )
        """
}

extension SchemaMigration {
    /// When each API key was last used.
    static let keyUses = """
        ALTER TABLE api_keys ADD COLUMN last_used_at bigint
        """

    /// User and password of subscribed URLs, sealed.
    static let subscriptionUsers = """
        ALTER TABLE subscriptions ADD COLUMN sealed_user bytea

        CREATE INDEX subscriptions_sealed ON subscriptions (id) WHERE sealed_user IS NOT NULL
        """

    /// How many workers in a row were terminated while they had a batch.
    static let interruptions = """
        ALTER TABLE batches ADD COLUMN interrupted smallint NOT NULL DEFAULT 0
        """
}
