// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// Campaigns, batches that are halted, and app versions that can be compared.
    ///
    /// Campaign states: 0 scheduled, 1 running, 2 paused, 3 finished, 4 cancelled, 5 expired, 6 failed. Batch states: 7
    /// paused, beside those of before. Halts: 1 pause, 2 cancel.
    /// - Texts that are byte by byte in the order of versions are kept beside these: `AppVersion.sortKey`.
    /// - A notification is open while batches may be added to it.
    /// - A campaign's definition never changes; its plan is one value, since it is only ever read and written whole.
    static let campaigns = """
        ALTER TABLE devices ADD COLUMN app_version_key TEXT;
        UPDATE devices SET app_version_key = \(AppVersionKey.name)(app_version) WHERE app_version IS NOT NULL;

        ALTER TABLE notifications ADD COLUMN is_open INTEGER NOT NULL DEFAULT 0;

        ALTER TABLE batches ADD COLUMN halt INTEGER;
        CREATE INDEX batches_unsettled ON batches (notification, ordinal) WHERE state < 3 OR state = 7;

        CREATE TABLE campaigns (
            id BLOB PRIMARY KEY NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            definition TEXT NOT NULL,
            state INTEGER NOT NULL,
            reason TEXT,
            plan TEXT,
            planner TEXT,
            claimable_at INTEGER,
            setbacks INTEGER NOT NULL,
            planning_at INTEGER NOT NULL,
            expires_at INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX campaigns_by_app ON campaigns (app, id);
        CREATE INDEX campaigns_claimable ON campaigns (claimable_at) WHERE claimable_at IS NOT NULL;
        """
}
