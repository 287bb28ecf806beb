// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// What became of endpoints and is still to be published to the topic that their application names for it.
    static let endpointEvents = """
        CREATE TABLE endpoint_events (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            platform TEXT NOT NULL,
            name TEXT NOT NULL,
            installation TEXT NOT NULL,
            kind TEXT NOT NULL,
            topic TEXT NOT NULL,
            time INTEGER NOT NULL,
            due_at INTEGER NOT NULL,
            worker TEXT
        ) STRICT;
        CREATE INDEX endpoint_events_due ON endpoint_events (due_at, number);
        CREATE INDEX endpoint_events_by_app ON endpoint_events (app);
        """
}
