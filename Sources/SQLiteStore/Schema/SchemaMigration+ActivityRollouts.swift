// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

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
