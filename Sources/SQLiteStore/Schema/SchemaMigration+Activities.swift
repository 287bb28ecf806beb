// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// Live Activities with their attributes types, tokens, participants, transitions, timelines and rollouts, and
    /// broadcast channels.
    ///
    /// `timestamp`, `stale_date` and `dismissal_date` are seconds, as in Apple's payload.
    /// - A participant's number is its activity's number times 2^24 plus a running number, so the participants of an
    ///   activity are adjacent.
    /// - The last push to a participant is identified by its batch and its position in it. `activity_batches` has the
    ///   numbers of the participants by position, 8 bytes each. A participant that has a push in flight while its activity
    ///   changes waits in `activity_waiting`.
    /// - `former_version` is the version that the participant shows if its last push is not delivered. NULL is the version
    ///   before that push.
    /// - `due_at` is the time of the next work on an activity; an ended activity has none.
    /// - `activity_timeline.changes` is a JSON array of the changes. `PushBudget` and `RecentPushes` define `budget` and
    ///   `recent_pushes`.
    /// - A channel's `channel` is the ID that APNs assigned; NULL while the channel is being created. An activity with a
    ///   channel keeps it as JSON, as it was at that time, with its name in `channel_name`. The channel is also a
    ///   participant, whose token is the text of the ID.
    /// - A rollout's `id` is also the ID of the notification that starts the activity. An ended rollout has no
    ///   `claimable_at`.
    static let activities = """
        CREATE TABLE activity_types (
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            name TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,
            content_state BLOB,
            attributes BLOB,
            PRIMARY KEY (app, name)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE push_to_start_tokens (
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            attributes_type TEXT NOT NULL,
            installation TEXT NOT NULL,
            environment INTEGER NOT NULL,
            token BLOB NOT NULL,
            issued_at INTEGER NOT NULL,
            supports_channels INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (app, attributes_type, installation)
        ) STRICT, WITHOUT ROWID;

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

        CREATE TABLE activities (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            id TEXT NOT NULL,
            attributes_type TEXT NOT NULL,
            state INTEGER NOT NULL,
            version INTEGER NOT NULL,
            timestamp INTEGER NOT NULL,
            priority INTEGER NOT NULL,
            budget INTEGER,
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
            channel TEXT,
            channel_name TEXT,
            content_state BLOB,
            alert TEXT,
            start_alert TEXT,
            attributes BLOB
        ) STRICT;
        CREATE UNIQUE INDEX activities_by_id ON activities (app, id);
        CREATE INDEX activities_due ON activities (due_at) WHERE due_at IS NOT NULL;
        CREATE INDEX activities_to_send_on ON activities (number) WHERE left_to_send > 0;
        CREATE INDEX activities_over ON activities (ended_at) WHERE ended_at IS NOT NULL;
        CREATE INDEX activities_running ON activities (app, attributes_type, number) WHERE state < 2;
        CREATE INDEX activities_by_channel ON activities (app, channel_name)
            WHERE channel_name IS NOT NULL AND state < 2;

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
            former_version INTEGER,
            batch BLOB,
            position INTEGER NOT NULL,
            origin INTEGER NOT NULL,
            frequent_updates INTEGER,
            token_issued_at INTEGER,
            joined_at INTEGER NOT NULL,
            started_at INTEGER,
            reason TEXT,
            recent_pushes BLOB
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
            changes TEXT,
            PRIMARY KEY (activity, sequence)
        ) STRICT, WITHOUT ROWID;

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

    /// Jobs and their runs.
    ///
    /// - `next_at` is the next occurrence of a job. Its run starts at `due_at`, which is later by up to the jitter. A paused
    ///   job has no `due_at`.
    /// - A run without `claimable_at` has ended, or waits for another run to end.
    static let jobs = """
        CREATE TABLE jobs (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            id TEXT NOT NULL,
            definition TEXT NOT NULL,
            is_code INTEGER NOT NULL,
            is_paused INTEGER NOT NULL,
            next_at INTEGER,
            due_at INTEGER,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX jobs_by_id ON jobs (app, id);
        CREATE INDEX jobs_due ON jobs (due_at) WHERE due_at IS NOT NULL;

        CREATE TABLE job_runs (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            job INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
            id BLOB NOT NULL UNIQUE,
            by_hand INTEGER NOT NULL,
            due_at INTEGER NOT NULL,
            occurrences INTEGER NOT NULL,
            state INTEGER NOT NULL,
            attempt INTEGER NOT NULL,
            setbacks INTEGER NOT NULL,
            processed INTEGER NOT NULL,
            place INTEGER NOT NULL,
            started_at INTEGER,
            ended_at INTEGER,
            claimable_at INTEGER,
            answer_status INTEGER,
            worker TEXT,
            skip TEXT,
            message TEXT,
            campaign BLOB
        ) STRICT;
        CREATE INDEX job_runs_by_job ON job_runs (job, number);
        CREATE INDEX job_runs_open ON job_runs (job, number) WHERE state < 2;
        CREATE INDEX job_runs_claimable ON job_runs (claimable_at) WHERE claimable_at IS NOT NULL;
        """
}
