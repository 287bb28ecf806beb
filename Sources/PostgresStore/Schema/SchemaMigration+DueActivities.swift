// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

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
