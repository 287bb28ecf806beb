// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SQLSchema {
    /// Live Activities with their attributes types, tokens, participants, transitions, timelines and rollouts, and
    /// broadcast channels.
    ///
    /// `timestamp`, `stale_date` and `dismissal_date` are seconds, as in Apple's payload.
    /// - A transaction locks the activity's row before it changes the activity, its participants, its pending updates
    ///   or its rollouts, and before it locks the batches of its pushes. Claiming and releasing a rollout lock only the
    ///   rollout. Binding an activity to a channel and deleting the channel lock the channel's row.
    /// - A participant's number is its activity's number times 2^24 plus a running number, so the participants of an
    ///   activity are adjacent.
    /// - The last push to a participant is identified by its batch and its position in it. `activity_batches` has the
    ///   numbers of the participants by position, 8 bytes each. A participant that has a push in flight while its
    ///   activity changes waits in `activity_waiting`.
    /// - `former_version` is the version that the participant shows if its last push is not delivered. NULL is the
    ///   version before that push.
    /// - `due_at` is the time of the next work on an activity; an ended activity has none. PostgreSQL has it in
    ///   `activity_due`, because an activity is large and has many indexes: with an index on the time in `activities`,
    ///   each change of the time would add a new version of the row to all of them.
    /// - On PostgreSQL, `activities_by_channel` has the ended activities too, so a change of the state changes no
    ///   index.
    /// - `activity_timeline.changes` is a JSON array of the changes. `PushBudget` and `HourlyPushCounter` define `budget`
    ///   and `recent_pushes`.
    /// - A channel's `channel` is the ID that APNs assigned; NULL while the channel is being created. An activity with
    ///   a channel keeps it as JSON, as it was at that time, with its name in `channel_name`. The channel is also a
    ///   participant, whose token is the text of the ID.
    /// - A rollout's `id` is also the ID of the notification that starts the activity. An ended rollout has no
    ///   `claimable_at`.
    static let activities = """
        CREATE TABLE activity_types (
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            name text COLLATE "C" NOT NULL,
            created_at bigint NOT NULL,
            changed_at bigint NOT NULL,
            content_state bytea,
            attributes bytea,
            PRIMARY KEY (app, name)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE push_to_start_tokens (
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            attributes_type text COLLATE "C" NOT NULL,
            installation text COLLATE "C" NOT NULL,
            issued_at bigint NOT NULL,
            environment smallint NOT NULL,
            supports_channels smallint NOT NULL DEFAULT 0,
            token bytea NOT NULL,
            PRIMARY KEY (app, attributes_type, installation)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE channels (
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            name text COLLATE "C" NOT NULL,
            created_at bigint NOT NULL,
            environment smallint NOT NULL,
            policy smallint NOT NULL,
            state smallint NOT NULL,
            channel text COLLATE "C",
            PRIMARY KEY (app, name)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX channels_by_channel ON channels (app, environment, channel) WHERE channel IS NOT NULL;

        CREATE TABLE activities (
            number identity,
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            timestamp bigint NOT NULL,
            budget bigint,
            stale_date bigint,
            relevance_score bigint,
            dismissal_date bigint,
            created_at bigint NOT NULL,
            started_at bigint,
            expires_at bigint,
            ended_at bigint,
            transition_due_at bigint,
            sent_through bigint NOT NULL,
            revision bigint NOT NULL DEFAULT 0,
            left_to_send integer NOT NULL,
            version integer NOT NULL,
            joined integer NOT NULL,
            entries integer NOT NULL,
            fixed_bytes integer NOT NULL,
            state smallint NOT NULL,
            priority smallint NOT NULL,
            id text COLLATE "C" NOT NULL,
            attributes_type text COLLATE "C" NOT NULL,
            channel text,
            channel_name text COLLATE "C",
            content_state bytea,
            alert text,
            start_alert text,
            due_at bigint, -- SQLite
            attributes bytea
        ) STRICT; -- PostgreSQL: WITH (fillfactor = 50)
        CREATE UNIQUE INDEX activities_by_id ON activities (app, id);
        CREATE INDEX activities_due ON activities (due_at) WHERE due_at IS NOT NULL; -- SQLite
        CREATE INDEX activities_to_send_on ON activities (number) WHERE left_to_send > 0;
        CREATE INDEX activities_over ON activities (ended_at) WHERE ended_at IS NOT NULL;
        CREATE INDEX activities_running ON activities (app, attributes_type, number) WHERE state < 2;
        CREATE INDEX activities_by_channel ON activities (app, channel_name) WHERE channel_name IS NOT NULL
            AND state < 2 -- SQLite
        ;

        CREATE TABLE activity_due ( -- PostgreSQL
            activity bigint PRIMARY KEY REFERENCES activities (number) ON DELETE CASCADE, -- PostgreSQL
            due_at bigint NOT NULL -- PostgreSQL
        ) WITH (fillfactor = 70); -- PostgreSQL
        CREATE INDEX activity_due_by_time ON activity_due (due_at, activity); -- PostgreSQL

        CREATE TABLE activity_instants (
            activity bigint NOT NULL REFERENCES activities (number) ON DELETE CASCADE,
            name text COLLATE "C" NOT NULL,
            time bigint NOT NULL,
            PRIMARY KEY (activity, name)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX activity_instants_by_time ON activity_instants (name, time);

        CREATE TABLE activity_participants (
            number bigint PRIMARY KEY NOT NULL,
            activity bigint NOT NULL REFERENCES activities (number) ON DELETE CASCADE,
            token_issued_at bigint,
            joined_at bigint NOT NULL,
            started_at bigint,
            sent_version integer NOT NULL,
            former_version integer,
            position integer NOT NULL,
            state smallint NOT NULL,
            environment smallint NOT NULL,
            origin smallint NOT NULL,
            frequent_updates smallint,
            batch uuid,
            installation text COLLATE "C" NOT NULL,
            token bytea,
            reason text,
            recent_pushes bytea
        ) STRICT; -- PostgreSQL: WITH (fillfactor = 70)
        CREATE UNIQUE INDEX activity_participants_by_installation ON activity_participants (activity, installation);

        CREATE TABLE activity_batches (
            batch uuid PRIMARY KEY NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
            participants bytea NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE activity_waiting (
            batch uuid NOT NULL REFERENCES batches (id) ON DELETE CASCADE,
            position integer NOT NULL,
            participant bigint NOT NULL,
            PRIMARY KEY (batch, position)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE activity_transitions (
            activity bigint NOT NULL REFERENCES activities (number) ON DELETE CASCADE,
            key text COLLATE "C" NOT NULL,
            due_at bigint,
            planned_at bigint NOT NULL,
            ended_at bigint,
            state smallint NOT NULL,
            plan text NOT NULL,
            PRIMARY KEY (activity, key)
        ) STRICT, WITHOUT ROWID; -- PostgreSQL: WITH (fillfactor = 50)

        CREATE TABLE activity_timeline (
            activity bigint NOT NULL REFERENCES activities (number) ON DELETE CASCADE,
            sequence integer NOT NULL,
            time bigint NOT NULL,
            version integer NOT NULL,
            waiting integer NOT NULL,
            kind text NOT NULL,
            installation text,
            detail text,
            sends bytea,
            changes text,
            PRIMARY KEY (activity, sequence)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE activity_rollouts (
            id uuid PRIMARY KEY NOT NULL,
            activity bigint NOT NULL REFERENCES activities (number) ON DELETE CASCADE,
            created_at bigint NOT NULL,
            claimable_at bigint,
            setbacks integer NOT NULL,
            throttle integer,
            state smallint NOT NULL,
            planner text,
            audience text NOT NULL,
            progress text NOT NULL
        ) STRICT, WITHOUT ROWID; -- PostgreSQL: WITH (fillfactor = 50)
        CREATE INDEX activity_rollouts_by_activity ON activity_rollouts (activity, id);
        CREATE INDEX activity_rollouts_claimable ON activity_rollouts (claimable_at) WHERE claimable_at IS NOT NULL;
        """

    /// Jobs and their runs.
    ///
    /// - A transaction locks the app's row before the job's, and the job's before it creates, claims or ends a run. It
    ///   locks activities and campaigns after the job.
    /// - `next_at` is the next occurrence of a job. Its run starts at `due_at`, which is later by up to the jitter. A
    ///   paused job has no `due_at`.
    /// - A run without `claimable_at` has ended, or waits for another run to end.
    static let jobs = """
        CREATE TABLE jobs (
            number identity,
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            next_at bigint,
            due_at bigint,
            created_at bigint NOT NULL,
            updated_at bigint NOT NULL,
            is_code smallint NOT NULL,
            is_paused smallint NOT NULL,
            id text COLLATE "C" NOT NULL,
            definition text NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX jobs_by_id ON jobs (app, id);
        CREATE INDEX jobs_due ON jobs (due_at) WHERE due_at IS NOT NULL;

        CREATE TABLE job_runs (
            number identity,
            job bigint NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
            due_at bigint NOT NULL,
            started_at bigint,
            ended_at bigint,
            claimable_at bigint,
            place bigint NOT NULL,
            processed bigint NOT NULL,
            occurrences bigint NOT NULL,
            attempt integer NOT NULL,
            setbacks integer NOT NULL,
            answer_status integer,
            by_hand smallint NOT NULL,
            state smallint NOT NULL,
            id uuid NOT NULL UNIQUE,
            campaign uuid,
            worker text COLLATE "C",
            skip text,
            message text
        ) STRICT;
        CREATE INDEX job_runs_by_job ON job_runs (job, number);
        CREATE INDEX job_runs_open ON job_runs (job, number) WHERE state < 2;
        CREATE INDEX job_runs_claimable ON job_runs (claimable_at) WHERE claimable_at IS NOT NULL;
        """

    /// The processes that hold leases, and the items of work that they had when they were terminated.
    ///
    /// - `workers.number` is the number of the advisory lock that the worker's session holds. Times in `workers` are
    ///   those of the server's clock. `server_started_at` is there because advisory locks do not survive a start of the
    ///   server.
    /// - `workers.note` has the numbers of the activities on which the worker decides.
    /// - `interruptions.key` is the primary key of the item's row as text, `item` its public ID.
    static let workers = """
        CREATE SEQUENCE worker_numbers AS integer CYCLE; -- PostgreSQL

        CREATE TABLE workers ( -- PostgreSQL
            server_started_at bigint NOT NULL, -- PostgreSQL
            terminated_at bigint, -- PostgreSQL
            number integer NOT NULL DEFAULT nextval('worker_numbers'), -- PostgreSQL
            worker text COLLATE "C" PRIMARY KEY, -- PostgreSQL
            note text -- PostgreSQL
        ) WITH (fillfactor = 50); -- PostgreSQL

        CREATE TABLE interruptions (
            number identity,
            app bigint REFERENCES apps (number) ON DELETE CASCADE,
            count bigint NOT NULL,
            interrupted_at bigint NOT NULL,
            tried_at bigint,
            quarantined_at bigint,
            reported_at bigint,
            kind text COLLATE "C" NOT NULL,
            key text COLLATE "C" NOT NULL,
            item text COLLATE "C" NOT NULL,
            reason text COLLATE "C",
            progress text,
            UNIQUE (kind, key)
        ) STRICT;
        CREATE INDEX interruptions_by_app ON interruptions (app) WHERE app IS NOT NULL;
        """
}
