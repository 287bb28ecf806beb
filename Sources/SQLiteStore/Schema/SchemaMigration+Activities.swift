// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// Live Activities: tokens that start them, what phones show, which phones these are, what is planned, and what happened.
    ///
    /// Times are milliseconds since 1970, but `timestamp`, `stale_date` and `dismissal_date`, which are Apple's seconds. How
    /// states are numbered stands beside what reads them, as do the forms of `sends` and `relevance_score`.
    /// - A phone's number is its activity's number times 2^24 plus a running number: an activity's phones lie side by side.
    /// - What a phone was sent last is found by its batch and its place in it; `activity_batches` has the numbers of the
    ///   phones by their places, 8 bytes each.
    /// - A phone that has something on its way to it when its activity changes waits in `activity_waiting`.
    /// - `due_at` is when somebody has to look after an activity; one that is over has none.
    static let activities = """
        ALTER TABLE batches ADD COLUMN is_activity INTEGER NOT NULL DEFAULT 0;

        CREATE TABLE push_to_start_tokens (
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            attributes_type TEXT NOT NULL,
            installation TEXT NOT NULL,
            environment INTEGER NOT NULL,
            token BLOB NOT NULL,
            issued_at INTEGER NOT NULL,
            PRIMARY KEY (app, attributes_type, installation)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE activities (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            id TEXT NOT NULL,
            attributes_type TEXT NOT NULL,
            state INTEGER NOT NULL,
            version INTEGER NOT NULL,
            timestamp INTEGER NOT NULL,
            priority INTEGER NOT NULL,
            stale_date INTEGER,
            relevance_score INTEGER,
            dismissal_date INTEGER,
            joined INTEGER NOT NULL,
            entries INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            started_at INTEGER,
            expires_at INTEGER,
            ended_at INTEGER,
            transition_due_at INTEGER,
            due_at INTEGER,
            left_to_send INTEGER NOT NULL,
            sent_through INTEGER NOT NULL,
            fixed_bytes INTEGER NOT NULL,
            content_state BLOB,
            alert TEXT,
            start_alert TEXT,
            attributes BLOB
        ) STRICT;
        CREATE UNIQUE INDEX activities_by_id ON activities (app, id);
        CREATE INDEX activities_due ON activities (due_at) WHERE due_at IS NOT NULL;
        CREATE INDEX activities_to_send_on ON activities (number) WHERE left_to_send > 0;
        CREATE INDEX activities_over ON activities (ended_at) WHERE ended_at IS NOT NULL;

        CREATE TABLE activity_instants (
            activity INTEGER NOT NULL REFERENCES activities (number) ON DELETE CASCADE,
            name TEXT NOT NULL,
            time INTEGER NOT NULL,
            PRIMARY KEY (activity, name)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX activity_instants_by_time ON activity_instants (name, time);

        CREATE TABLE activity_participants (
            number INTEGER PRIMARY KEY NOT NULL,
            activity INTEGER NOT NULL REFERENCES activities (number) ON DELETE CASCADE,
            installation TEXT NOT NULL,
            state INTEGER NOT NULL,
            environment INTEGER NOT NULL,
            token BLOB,
            sent_version INTEGER NOT NULL,
            batch BLOB,
            position INTEGER NOT NULL,
            origin INTEGER NOT NULL,
            frequent_updates INTEGER,
            token_issued_at INTEGER,
            joined_at INTEGER NOT NULL,
            started_at INTEGER,
            reason TEXT
        ) STRICT;
        CREATE UNIQUE INDEX activity_participants_by_installation ON activity_participants (activity, installation);

        CREATE TABLE activity_batches (
            batch BLOB PRIMARY KEY NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
            participants BLOB NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE activity_waiting (
            batch BLOB NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
            position INTEGER NOT NULL,
            participant INTEGER NOT NULL,
            PRIMARY KEY (batch, position)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE activity_transitions (
            activity INTEGER NOT NULL REFERENCES activities (number) ON DELETE CASCADE,
            key TEXT NOT NULL,
            state INTEGER NOT NULL,
            due_at INTEGER,
            planned_at INTEGER NOT NULL,
            ended_at INTEGER,
            plan TEXT NOT NULL,
            PRIMARY KEY (activity, key)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE activity_timeline (
            activity INTEGER NOT NULL REFERENCES activities (number) ON DELETE CASCADE,
            sequence INTEGER NOT NULL,
            time INTEGER NOT NULL,
            kind TEXT NOT NULL,
            version INTEGER NOT NULL,
            waiting INTEGER NOT NULL,
            installation TEXT,
            detail TEXT,
            sends BLOB,
            PRIMARY KEY (activity, sequence)
        ) STRICT, WITHOUT ROWID;
        """
}

extension SchemaMigration {
    /// What phones of activities count as having been sent if the push that was sent to them last comes to nothing.
    ///
    /// Without a value that is the version before, as it was taken until then.
    static let formerVersions = """
        ALTER TABLE activity_participants ADD COLUMN former_version INTEGER;
        """
}

extension SchemaMigration {
    /// What was changed, in the timelines of Live Activities: an array in JSON; what was changed before is not known.
    static let timelineChanges = """
        ALTER TABLE activity_timeline ADD COLUMN changes TEXT;
        """
}

extension SchemaMigration {
    /// The types of Live Activities that apps have registered; the schemas are the JSON that was given.
    static let activityTypes = """
        CREATE TABLE activity_types (
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            name TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,
            content_state BLOB,
            attributes BLOB,
            PRIMARY KEY (app, name)
        ) STRICT, WITHOUT ROWID;
        """
}

extension SchemaMigration {
    /// The budgets of Live Activities: how many pushes of priority 10 phones may be sent with the newest content, and how many
    /// each was sent lately.
    ///
    /// `PushBudget` and `RecentPushes` say how these are written; what was sent before is not known.
    static let activityBudgets = """
        ALTER TABLE activities ADD COLUMN budget INTEGER;

        ALTER TABLE activity_participants ADD COLUMN recent_pushes BLOB;
        """
}

extension SchemaMigration {
    /// The rollouts of activities: on the devices of which audiences they are started, and how far that has come.
    ///
    /// `id` is also that of the notification that starts the activity. `RolloutRow` says how states are numbered and what the
    /// JSON is; one without `claimable_at` has ended.
    static let activityRollouts = """
        CREATE TABLE activity_rollouts (
            id BLOB PRIMARY KEY NOT NULL,
            activity INTEGER NOT NULL REFERENCES activities (number) ON DELETE CASCADE,
            state INTEGER NOT NULL,
            setbacks INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            claimable_at INTEGER,
            throttle INTEGER,
            planner TEXT,
            audience TEXT NOT NULL,
            progress TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE INDEX activity_rollouts_by_activity ON activity_rollouts (activity, id);

        CREATE INDEX activity_rollouts_claimable ON activity_rollouts (claimable_at) WHERE claimable_at IS NOT NULL;
        """
}

extension SchemaMigration {
    /// The broadcast channels of apps; `channel` is APNs' own identifier, which is not known while one is being made.
    ///
    /// - An activity that is bound to a channel has it as JSON, as it was then, and by its name beside it. It is among those to
    ///   whom the activity is sent: a participant that is no phone, whose token is the text of the identifier.
    /// - A phone that can subscribe to channels has said so with the token that starts activities on it.
    static let channels = """
        CREATE TABLE channels (
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            name TEXT NOT NULL,
            environment INTEGER NOT NULL,
            policy INTEGER NOT NULL,
            state INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            channel TEXT,
            PRIMARY KEY (app, name)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX channels_by_channel ON channels (app, environment, channel) WHERE channel IS NOT NULL;

        ALTER TABLE activities ADD COLUMN channel TEXT;
        ALTER TABLE activities ADD COLUMN channel_name TEXT;
        CREATE INDEX activities_by_channel ON activities (app, channel_name)
            WHERE channel_name IS NOT NULL AND state < 2;

        ALTER TABLE push_to_start_tokens ADD COLUMN supports_channels INTEGER NOT NULL DEFAULT 0;
        """
}
