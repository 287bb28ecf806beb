// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore

/// The tables of both databases.
///
/// A line that ends with `-- SQLite` or `-- PostgreSQL` is for that database only. `-- SQLite: TEXT` adds the text to a
/// definition for SQLite. Everything else is for both, with the types of PostgreSQL. `identity` is a primary key that
/// the database numbers, and never uses twice.
/// - Times are milliseconds since 1970. Environments: 0 sandbox, 1 production. The decoders of the rows define the
///   other numbers and the stored JSON.
/// - On PostgreSQL, tables with very many rows have no foreign keys. A call that inserts such rows locks the row of the
///   app or batch once instead, and deleting an app deletes its rows.
/// - The columns of a primary key come first: otherwise `PRAGMA integrity_check` of SQLite 3.40 reports NULL values
///   that tables without row IDs do not have. Then come columns of 8 bytes, and long columns last, so rows have little
///   padding.
/// - A fill factor leaves space in each page, so updates of columns without an index change no index.
/// - Tables that change all the time are vacuumed after 1,000 changes instead of after changes to 20 % of their rows:
///   `vacuumed_often`.
package enum SQLSchema {
    private static let words: [SQLDialect: [String: String]] = [
        .sqlite: [
            "identity": "INTEGER PRIMARY KEY AUTOINCREMENT", "bigint": "INTEGER", "integer": "INTEGER",
            "smallint": "INTEGER", "boolean": "INTEGER", "text": "TEXT", "jsonb": "TEXT", "bytea": "BLOB",
            "uuid": "BLOB", "\"C\"": "BINARY",
        ],
        .postgres: [
            "identity": "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
            "vacuumed_often": "autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000",
        ],
    ]

    private static let migrations = [
        [
            Self.accounts, Self.devices, Self.queue, Self.campaigns, Self.requests, Self.events, Self.topics,
            Self.platforms, Self.activities, Self.jobs, Self.workers,
        ],
        [Self.containersAndPolicies],
        [Self.installationSecrets],
        [Self.auditLogAndKeys],
        [Self.appAttest],
        [Self.dataKey],
    ]

    /// The migrations of a database in their order; each statement ends with a semicolon at the end of a line.
    ///
    /// The version of a database is the number of migrations that have run. A released migration never changes. Append
    /// another one instead.
    package static func migrations(for dialect: SQLDialect) -> [String] {
        self.migrations.map { tables in
            let lines = tables.joined(separator: "\n").split(separator: "\n")
            return lines.compactMap { self.render($0, for: dialect) }.joined(separator: "\n")
        }
    }

    private static func render(_ line: Substring, for dialect: SQLDialect) -> String? {
        let parts = line.split(separator: " -- ", maxSplits: 1)
        guard var text = parts.first else { return nil }
        if dialect == .postgres, text.hasPrefix(") STRICT") { text = ");" }
        if parts.count == 2 {
            let note = parts[1].split(separator: ": ", maxSplits: 1)
            let isOwn = note[0] == (dialect == .sqlite ? "SQLite" : "PostgreSQL")
            if note.count == 1, !isOwn { return nil }
            // The text is before the comma or semicolon.
            if note.count == 2, isOwn { text = "\(text.dropLast()) \(note[1])\(text.suffix(1))" }
        }
        return text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let name = word.prefix { $0.isLetter || "_\"".contains($0) }
            return (Self.words[dialect]?[String(name)] ?? String(name)) + word.dropFirst(name.count)
        }.joined(separator: " ")
    }

    /// Checks that a program with this number of migrations supports the version of a database.
    ///
    /// - Parameter place: the database, for messages.
    /// - Throws: `StoreError` `.corrupt`; with `isCurrent`, also `.readOnly` for an older version.
    package static func check(_ version: Int, migrations: Int, isCurrent: Bool, place: String) throws {
        let fault =
            switch version {
            case ..<0: "is corrupt: its schema version is \(version), and 0 is the lowest. Restore a backup."
            case ..<migrations:
                "was written by an older version (schema \(version), this one needs \(migrations)). "
                    + "Open it once for writing to bring it up to date."
            case migrations: ""
            default:
                "was written by a newer version (schema \(version), this one knows \(migrations)). "
                    + "Run that version, or restore a backup from before the upgrade."
            }
        let isOlder = (0..<migrations).contains(version)
        guard version != migrations, isCurrent || !isOlder else { return }
        throw StoreError(code: isOlder ? .readOnly : .corrupt, message: "\(place) \(fault)")
    }
}

extension SQLSchema {
    /// Apps, their credentials and API keys, and which of the credentials do not work.
    ///
    /// - `apps.numbered_through` is the highest device number of the app when its latest device was deleted; see
    ///   ``devices``.
    /// - `api_keys.signing_secret` is the secret access key of SNS requests, sealed.
    /// - `delivery_pauses` has the open circuits, so that every process can report them.
    static let accounts = """
        CREATE TABLE apps (
            number identity,
            created_at bigint NOT NULL,
            default_environment smallint NOT NULL,
            id text COLLATE "C" NOT NULL UNIQUE,
            numbered_through bigint NOT NULL DEFAULT 0, -- SQLite
            name text NOT NULL
        ) STRICT;

        CREATE TABLE credentials (
            id text COLLATE "C" PRIMARY KEY NOT NULL,
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            created_at bigint NOT NULL,
            sandbox smallint NOT NULL,
            production smallint NOT NULL,
            key_id text,
            team_id text,
            certificate_format text,
            secret_path text,
            password_path text,
            sealed bytea
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX credentials_by_app ON credentials (app, created_at);

        CREATE TABLE credential_troubles (
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            environment smallint NOT NULL,
            push_type text COLLATE "C" NOT NULL,
            since bigint NOT NULL,
            reason text,
            code text,
            PRIMARY KEY (app, environment, push_type)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE delivery_pauses (
            app bigint NOT NULL, -- SQLite: REFERENCES apps (number) ON DELETE CASCADE
            environment smallint NOT NULL,
            credential text COLLATE "C" NOT NULL,
            since bigint NOT NULL,
            next_attempt bigint NOT NULL,
            push_types text NOT NULL,
            cause text NOT NULL,
            reason text NOT NULL,
            PRIMARY KEY (app, environment, credential)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE api_keys (
            id text COLLATE "C" PRIMARY KEY NOT NULL,
            app bigint REFERENCES apps (number) ON DELETE CASCADE,
            created_at bigint NOT NULL,
            expires_at bigint,
            revoked_at bigint,
            last_used_at bigint,
            name text NOT NULL,
            scopes text NOT NULL,
            secret_hash bytea NOT NULL,
            signing_secret bytea
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX api_keys_by_app ON api_keys (app) WHERE app IS NOT NULL; -- PostgreSQL
        """

    /// Devices and the topics that they registered.
    ///
    /// Device states: 0 active, 1 suspect, 2 invalid.
    /// - On SQLite, a device's number is its app's number times 2^40 plus a running number. On PostgreSQL, the primary
    ///   key is the app and a number from a sequence. So the devices of an app are adjacent, ordered by registration,
    ///   and a campaign reads them in one sequential scan.
    /// - SQLite uses no number twice, because the cursor of a campaign is such a number: a device that registers later
    ///   must not get a lower one. The trigger keeps the highest number when its device is deleted. On PostgreSQL, only
    ///   lists depend on the order of the numbers.
    /// - On PostgreSQL, every unique index begins with the app, so the table can be partitioned by app.
    /// - `devices_by_topic` finds the few devices of a rare topic without a scan of all.
    /// - `app_version_key` is the version as a text whose bytes sort like versions: `AppVersion.sortKey`.
    /// - `user_data` is the custom user data of a platform endpoint.
    static let devices = """
        CREATE SEQUENCE device_numbers; -- PostgreSQL

        CREATE TABLE devices (
            app bigint NOT NULL, -- SQLite: REFERENCES apps (number) ON DELETE CASCADE
            number bigint PRIMARY KEY NOT NULL, -- SQLite
            number bigint NOT NULL DEFAULT nextval('device_numbers'), -- PostgreSQL
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
            system_version text,
            locale text,
            time_zone text,
            user_id text COLLATE "C",
            tags jsonb,
            topics text[] NOT NULL DEFAULT '{}', -- PostgreSQL
            PRIMARY KEY (app, number), -- PostgreSQL
            user_data text
        ) STRICT; -- PostgreSQL: WITH (fillfactor = 90)
        CREATE UNIQUE INDEX devices_by_installation ON devices (app, installation);
        CREATE UNIQUE INDEX devices_by_token ON devices (app, environment, token);
        CREATE INDEX devices_by_user ON devices (app, user_id) WHERE user_id IS NOT NULL;
        CREATE INDEX devices_by_topic ON devices USING gin (topics) WHERE topics <> '{}'; -- PostgreSQL
        CREATE TRIGGER devices_numbered AFTER DELETE ON devices -- SQLite
        WHEN NOT EXISTS (SELECT 1 FROM devices WHERE number > OLD.number AND number < (OLD.app + 1) << 40) -- SQLite
        BEGIN -- SQLite
            UPDATE apps SET numbered_through = OLD.number -- SQLite
            WHERE number = OLD.app AND numbered_through < OLD.number; -- SQLite
        END; -- SQLite

        CREATE TABLE device_topics ( -- SQLite
            device bigint NOT NULL REFERENCES devices (number) ON DELETE CASCADE, -- SQLite
            topic text NOT NULL, -- SQLite
            PRIMARY KEY (device, topic) -- SQLite
        ) STRICT, WITHOUT ROWID; -- SQLite
        CREATE INDEX device_topics_by_topic ON device_topics (topic, device); -- SQLite
        """

    /// Topics, their subscriptions, and the messages that are to be posted to subscribed URLs.
    ///
    /// - Each app that uses a topic has a row in `topic_shares`. All URLs together have one more, whose `app` is NULL
    ///   on SQLite and 0 on PostgreSQL. A subscription belongs to such a row and ends with it, even while the
    ///   subscription's own row remains: `topic_remains` names the shares whose rows are still to be removed.
    /// - `policy` is the number of a row in `topic_policies`, or 0. `device` is the number of the subscribed device,
    ///   and `subscriptions.app` its app. A subscription with a device is removed with it.
    /// - A subscribing transaction locks the topic's row for sharing. Adding a policy and removing unused ones lock it
    ///   exclusively.
    /// - The deliveries of a subscription are its queue. `due_at` of a leased delivery is when the lease expires.
    /// - `delivery_identity` has at most one row: the certificate that signs deliveries, and its key, sealed.
    /// - `sealed_user` is the user name and password for the URL.
    static let topics = """
        CREATE TABLE topics (
            number identity,
            created_at bigint NOT NULL,
            unsubscribed bigint NOT NULL,
            name text COLLATE "C" NOT NULL UNIQUE,
            attributes text NOT NULL,
            tags text NOT NULL
        ) STRICT;

        CREATE TABLE topic_shares (
            number identity,
            topic bigint NOT NULL, -- SQLite: REFERENCES topics (number)
            UNIQUE (topic, app), -- PostgreSQL
            app bigint REFERENCES apps (number) -- SQLite
            app bigint NOT NULL -- PostgreSQL
        ) STRICT;
        CREATE UNIQUE INDEX topic_shares_by_topic ON topic_shares (topic, coalesce(app, 0)); -- SQLite
        CREATE INDEX topic_shares_by_app ON topic_shares (app);

        CREATE TABLE topic_remains (
            share bigint PRIMARY KEY NOT NULL
        ) STRICT;

        CREATE TABLE topic_policies (
            number identity,
            topic bigint NOT NULL,
            digest bytea NOT NULL,
            scope text NOT NULL,
            policy text NOT NULL,
            UNIQUE (topic, digest)
        ) STRICT;

        CREATE TABLE subscriptions (
            id uuid PRIMARY KEY NOT NULL,
            share bigint NOT NULL,
            app bigint NOT NULL, -- PostgreSQL
            device bigint, -- SQLite: REFERENCES devices (number) ON DELETE CASCADE
            policy bigint NOT NULL,
            created_at bigint NOT NULL,
            state smallint NOT NULL,
            user_id text COLLATE "C",
            url text COLLATE "C",
            attributes text,
            confirmation bytea,
            FOREIGN KEY (app, device) REFERENCES devices (app, number) ON DELETE CASCADE, -- PostgreSQL
            sealed_user bytea
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX subscriptions_by_share ON subscriptions (share, id);
        CREATE INDEX subscriptions_by_policy ON subscriptions (share, policy, device);
        CREATE UNIQUE INDEX subscriptions_by_device ON subscriptions (device, share); -- SQLite
        CREATE UNIQUE INDEX subscriptions_by_device ON subscriptions (app, device, share) -- PostgreSQL
            WHERE device IS NOT NULL; -- PostgreSQL
        CREATE UNIQUE INDEX subscriptions_by_user ON subscriptions (share, user_id) WHERE user_id IS NOT NULL;
        CREATE UNIQUE INDEX subscriptions_by_url ON subscriptions (share, url) WHERE url IS NOT NULL;
        CREATE INDEX subscriptions_pending ON subscriptions (share, confirmation) WHERE confirmation IS NOT NULL;
        CREATE INDEX subscriptions_waiting ON subscriptions (created_at) WHERE state = 0;
        CREATE INDEX subscriptions_sealed ON subscriptions (id) WHERE sealed_user IS NOT NULL;

        CREATE TABLE topic_messages (
            id uuid PRIMARY KEY NOT NULL,
            created_at bigint NOT NULL,
            topic text COLLATE "C" NOT NULL,
            content bytea NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE topic_deliveries (
            number identity,
            message uuid NOT NULL,
            subscription uuid NOT NULL,
            due_at bigint NOT NULL,
            attempts integer NOT NULL,
            url text NOT NULL,
            worker text
        ) STRICT;
        CREATE INDEX topic_deliveries_due ON topic_deliveries (due_at, number);
        CREATE INDEX topic_deliveries_by_message ON topic_deliveries (message);
        CREATE INDEX topic_deliveries_by_subscription ON topic_deliveries (subscription, due_at, number);
        CREATE INDEX topic_deliveries_leased ON topic_deliveries (subscription, due_at) WHERE worker IS NOT NULL;

        CREATE TABLE delivery_identity (
            number integer PRIMARY KEY CHECK (number = 1),
            certificate text NOT NULL,
            sealed_key bytea NOT NULL
        ) STRICT;
        """

    /// Platform applications of SNS, and the events of their endpoints.
    ///
    /// - A platform application names an app in one environment. `attributes` is a JSON object of texts. `credential`
    ///   may name one that was removed.
    /// - `endpoint_events` are still to be published to the topic that the application names for them.
    /// - `endpoint_publications` are the notifications to one endpoint whose application wants an event if they fail.
    /// - `endpoint_event_drops` counts the events that exceeded the limit and are not logged yet. On PostgreSQL it has
    ///   one row for each server process, so no transaction waits for another one to count.
    static let platforms = """
        CREATE TABLE platform_applications (
            platform text COLLATE "C" NOT NULL,
            name text COLLATE "C" NOT NULL,
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            created_at bigint NOT NULL,
            environment smallint NOT NULL,
            credential text COLLATE "C" NOT NULL,
            attributes text NOT NULL,
            PRIMARY KEY (platform, name)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX platform_applications_by_app ON platform_applications (app);

        CREATE TABLE endpoint_events (
            number identity,
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
        ) STRICT;
        CREATE INDEX endpoint_events_due ON endpoint_events (due_at, number);
        CREATE INDEX endpoint_events_by_app ON endpoint_events (app);

        CREATE TABLE endpoint_publications (
            notification uuid PRIMARY KEY NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
            platform text COLLATE "C" NOT NULL,
            name text COLLATE "C" NOT NULL,
            installation text COLLATE "C" NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE endpoint_event_drops (
            process integer PRIMARY KEY NOT NULL,
            count bigint NOT NULL
        ) STRICT;
        """

    /// Separate endpoints of each platform application, subscriptions of deleted endpoints, and policies of API keys.
    ///
    /// - `devices.container` is the name of the application (`platform/name`) whose endpoint a device is. It is empty
    ///   for the app's own devices, which are the endpoints of the application with an empty `container`. A token has
    ///   one device in each container.
    /// - `subscriptions.endpoint` is a deleted endpoint, as `platform/name/device ID`. Its subscription has no device.
    /// - `api_keys.policy` is JSON: `KeyPolicy`.
    static let containersAndPolicies = """
        ALTER TABLE devices ADD COLUMN container text COLLATE "C" NOT NULL DEFAULT '';
        DROP INDEX devices_by_token;
        CREATE UNIQUE INDEX devices_by_token ON devices (app, environment, token, container);
        CREATE INDEX devices_by_container ON devices (app, container, number) WHERE container <> '';
        ALTER TABLE platform_applications ADD COLUMN container text COLLATE "C" NOT NULL DEFAULT '';
        ALTER TABLE subscriptions ADD COLUMN endpoint text;
        ALTER TABLE api_keys ADD COLUMN policy text;
        """
}
