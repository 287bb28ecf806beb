// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

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
