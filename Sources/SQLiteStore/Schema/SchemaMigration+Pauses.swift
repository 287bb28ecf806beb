// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// What pauses take away from a campaign and give back, since when it runs, and what delivery waits for.
    static let pauses = """
        ALTER TABLE campaigns ADD COLUMN paused_at INTEGER;
        ALTER TABLE campaigns ADD COLUMN runs_since INTEGER;
        ALTER TABLE campaigns ADD COLUMN runs_from INTEGER;
        ALTER TABLE batches ADD COLUMN held INTEGER NOT NULL DEFAULT 0;

        CREATE TABLE delivery_pauses (
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            environment INTEGER NOT NULL,
            credential TEXT NOT NULL,
            push_types TEXT NOT NULL,
            cause TEXT NOT NULL,
            reason TEXT NOT NULL,
            since INTEGER NOT NULL,
            next_attempt INTEGER NOT NULL,
            PRIMARY KEY (app, environment, credential)
        ) STRICT, WITHOUT ROWID;
        """
}
