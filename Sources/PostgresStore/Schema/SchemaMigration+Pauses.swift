// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// What pauses take away from a campaign and give back, since when it runs, and what delivery waits for.
    static let pauses = """
        ALTER TABLE campaigns ADD COLUMN paused_at bigint, ADD COLUMN runs_since bigint, ADD COLUMN runs_from bigint

        ALTER TABLE batches ADD COLUMN held bigint NOT NULL DEFAULT 0

        CREATE TABLE delivery_pauses (
            app bigint NOT NULL,
            since bigint NOT NULL,
            next_attempt bigint NOT NULL,
            environment smallint NOT NULL,
            credential text COLLATE "C" NOT NULL,
            push_types text NOT NULL,
            cause text NOT NULL,
            reason text NOT NULL,
            PRIMARY KEY (app, environment, credential)
        )
        """
}
