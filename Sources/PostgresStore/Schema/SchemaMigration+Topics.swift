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
