// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// What was published to one endpoint, until it is removed, and what is to be told of it when it has failed.
    ///
    /// - `endpoint_publications` has rows only of applications that want to be told.
    /// - `endpoint_event_drops` counts events that found no room since somebody last looked.
    static let endpointFailures = """
        CREATE TABLE endpoint_publications (
            notification BLOB PRIMARY KEY NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
            platform TEXT NOT NULL,
            name TEXT NOT NULL,
            installation TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        ALTER TABLE endpoint_events ADD COLUMN notification BLOB;
        ALTER TABLE endpoint_events ADD COLUMN failure TEXT;
        ALTER TABLE endpoint_events ADD COLUMN reason TEXT;

        CREATE TABLE endpoint_event_drops (
            number INTEGER PRIMARY KEY NOT NULL,
            count INTEGER NOT NULL
        ) STRICT;
        """
}
