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

extension SchemaMigration {
    /// What phones of activities count as having been sent if the push that was sent to them last comes to nothing.
    ///
    /// Without a value that is the version before, as it was taken until then.
    static let formerVersions = """
        ALTER TABLE activity_participants ADD COLUMN former_version integer
        """
}

extension SchemaMigration {
    /// What was changed, in the timelines of Live Activities: an array in JSON; what was changed before is not known.
    static let timelineChanges = """
        ALTER TABLE activity_timeline ADD COLUMN changes text;
        """
}

extension SchemaMigration {
    /// The types of Live Activities that apps have registered; the schemas are the JSON that was given.
    static let activityTypes = """
        CREATE TABLE activity_types (
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            created_at bigint NOT NULL,
            changed_at bigint NOT NULL,
            name text COLLATE "C" NOT NULL,
            content_state bytea,
            attributes bytea,
            PRIMARY KEY (app, name)
        )
        """
}

extension SchemaMigration {
    /// The budgets of Live Activities: how many pushes of priority 10 phones may be sent with the newest content, and how many
    /// each was sent lately.
    ///
    /// `PushBudget` and `RecentPushes` say how these are written; what was sent before is not known.
    static let activityBudgets = """
        ALTER TABLE activities ADD COLUMN budget bigint;

        ALTER TABLE activity_participants ADD COLUMN recent_pushes bytea;
        """
}

extension SchemaMigration {
    /// The rollouts of activities: on the devices of which audiences they are started, and how far that has come.
    ///
    /// `id` is also that of the notification that starts the activity. `RolloutRow` says how states are numbered and what the
    /// JSON is; one without `claimable_at` has ended. Whoever goes on with one locks the activity before it; who claims it or
    /// gives it back locks it alone.
    static let activityRollouts = """
        CREATE TABLE activity_rollouts (
            id uuid PRIMARY KEY,
            activity bigint NOT NULL REFERENCES activities (number) ON DELETE CASCADE,
            created_at bigint NOT NULL,
            claimable_at bigint,
            setbacks integer NOT NULL,
            throttle integer,
            state smallint NOT NULL,
            planner text,
            audience text NOT NULL,
            progress text NOT NULL
        ) WITH (fillfactor = 50)

        CREATE INDEX activity_rollouts_by_activity ON activity_rollouts (activity, id)

        CREATE INDEX activity_rollouts_claimable ON activity_rollouts (claimable_at) WHERE claimable_at IS NOT NULL
        """
}

extension SchemaMigration {
    /// The broadcast channels of apps; `channel` is APNs' own identifier, which is not known while one is being made.
    ///
    /// - An activity that is bound to a channel has it as JSON, as it was then, and by its name beside it. It is among those to
    ///   whom the activity is sent: a participant that is no phone, whose token is the text of the identifier.
    /// - A phone that can subscribe to channels has said so with the token that starts activities on it.
    /// - Whoever binds an activity to a channel, or deletes one, holds its row locked.
    static let channels = """
        CREATE TABLE channels (
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            created_at bigint NOT NULL,
            environment smallint NOT NULL,
            policy smallint NOT NULL,
            state smallint NOT NULL,
            name text COLLATE "C" NOT NULL,
            channel text COLLATE "C",
            PRIMARY KEY (app, name)
        )

        CREATE UNIQUE INDEX channels_by_channel ON channels (app, environment, channel) WHERE channel IS NOT NULL

        ALTER TABLE activities ADD COLUMN channel text

        ALTER TABLE activities ADD COLUMN channel_name text COLLATE "C"

        CREATE INDEX activities_by_channel ON activities (app, channel_name)
            WHERE channel_name IS NOT NULL AND state < 2

        ALTER TABLE push_to_start_tokens ADD COLUMN supports_channels smallint NOT NULL DEFAULT 0
        """
}

extension SchemaMigration {
    /// When there is next something to do for an activity, in a table of its own.
    ///
    /// An activity is large and has many indexes. While the time was indexed too, each change of it put a new version of
    /// the row into all of them; so, that goes into the small one alone, and the activity's stays in its page. Whoever writes
    /// a row of `activity_due` holds the activity's locked. Transitions are marked as done in their pages, for which these
    /// have room now; and activities without a channel are in no index of those that have one.
    static let dueActivities = """
        CREATE TABLE activity_due (
            activity bigint PRIMARY KEY REFERENCES activities (number) ON DELETE CASCADE,
            due_at bigint NOT NULL
        ) WITH (fillfactor = 70)

        INSERT INTO activity_due (activity, due_at) SELECT number, due_at FROM activities WHERE due_at IS NOT NULL

        CREATE INDEX activity_due_by_time ON activity_due (due_at, activity)

        ALTER TABLE activities DROP COLUMN due_at

        ALTER TABLE activity_transitions SET (fillfactor = 50)

        DROP INDEX activities_by_channel

        CREATE INDEX activities_by_channel ON activities (app, channel_name) WHERE channel_name IS NOT NULL
        """
}
