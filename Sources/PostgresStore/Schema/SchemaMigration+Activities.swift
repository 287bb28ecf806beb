// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// Live Activities: tokens that start them, what phones show, which phones these are, what is planned, and what happened.
    ///
    /// Times are milliseconds since 1970, but `timestamp`, `stale_date` and `dismissal_date`, which are Apple's seconds. How
    /// states are numbered stands beside what reads them, as do the forms of `sends` and `relevance_score`.
    /// - A phone's number is its activity's number times 2^24 plus a running number.
    /// - Whoever changes an activity, its phones or what waits for them holds its row locked; that is locked before the
    ///   batches by which its phones were sent something.
    /// - So a transaction that holds a batch cannot look after those who wait for it: it marks the batch, and another one
    ///   does that. `needs_relief` is such a mark.
    static let activities = """
        ALTER TABLE batches ADD COLUMN is_activity smallint NOT NULL DEFAULT 0

        ALTER TABLE batches ADD COLUMN needs_relief boolean NOT NULL DEFAULT false

        CREATE INDEX batches_to_relieve ON batches (id) WHERE needs_relief

        CREATE TABLE push_to_start_tokens (
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            issued_at bigint NOT NULL,
            environment smallint NOT NULL,
            attributes_type text COLLATE "C" NOT NULL,
            installation text COLLATE "C" NOT NULL,
            token bytea NOT NULL,
            PRIMARY KEY (app, attributes_type, installation)
        )

        CREATE TABLE activities (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            timestamp bigint NOT NULL,
            stale_date bigint,
            relevance_score bigint,
            dismissal_date bigint,
            created_at bigint NOT NULL,
            started_at bigint,
            expires_at bigint,
            ended_at bigint,
            transition_due_at bigint,
            due_at bigint,
            sent_through bigint NOT NULL,
            left_to_send integer NOT NULL,
            version integer NOT NULL,
            joined integer NOT NULL,
            entries integer NOT NULL,
            fixed_bytes integer NOT NULL,
            state smallint NOT NULL,
            priority smallint NOT NULL,
            id text COLLATE "C" NOT NULL,
            attributes_type text COLLATE "C" NOT NULL,
            content_state bytea,
            alert text,
            start_alert text,
            attributes bytea
        ) WITH (fillfactor = 50)

        CREATE UNIQUE INDEX activities_by_id ON activities (app, id)

        CREATE INDEX activities_due ON activities (due_at) WHERE due_at IS NOT NULL

        CREATE INDEX activities_to_send_on ON activities (number) WHERE left_to_send > 0

        CREATE INDEX activities_over ON activities (ended_at) WHERE ended_at IS NOT NULL

        CREATE TABLE activity_instants (
            activity bigint NOT NULL REFERENCES activities (number) ON DELETE CASCADE,
            time bigint NOT NULL,
            name text COLLATE "C" NOT NULL,
            PRIMARY KEY (activity, name)
        )

        CREATE INDEX activity_instants_by_time ON activity_instants (name, time)

        CREATE TABLE activity_participants (
            number bigint PRIMARY KEY,
            activity bigint NOT NULL REFERENCES activities (number) ON DELETE CASCADE,
            token_issued_at bigint,
            joined_at bigint NOT NULL,
            started_at bigint,
            sent_version integer NOT NULL,
            position integer NOT NULL,
            state smallint NOT NULL,
            environment smallint NOT NULL,
            origin smallint NOT NULL,
            frequent_updates smallint,
            batch uuid,
            installation text COLLATE "C" NOT NULL,
            token bytea,
            reason text
        ) WITH (fillfactor = 70)

        CREATE UNIQUE INDEX activity_participants_by_installation ON activity_participants (activity, installation)

        CREATE TABLE activity_batches (
            batch uuid PRIMARY KEY REFERENCES batches (id) ON DELETE CASCADE,
            participants bytea NOT NULL
        )

        CREATE TABLE activity_waiting (
            batch uuid NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
            participant bigint NOT NULL,
            position integer NOT NULL,
            PRIMARY KEY (batch, position)
        )

        CREATE TABLE activity_transitions (
            activity bigint NOT NULL REFERENCES activities (number) ON DELETE CASCADE,
            due_at bigint,
            planned_at bigint NOT NULL,
            ended_at bigint,
            state smallint NOT NULL,
            key text COLLATE "C" NOT NULL,
            plan text NOT NULL,
            PRIMARY KEY (activity, key)
        )

        CREATE TABLE activity_timeline (
            activity bigint NOT NULL REFERENCES activities (number) ON DELETE CASCADE,
            time bigint NOT NULL,
            sequence integer NOT NULL,
            version integer NOT NULL,
            waiting integer NOT NULL,
            kind text NOT NULL,
            installation text,
            detail text,
            sends bytea,
            PRIMARY KEY (activity, sequence)
        )
        """
}
