// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// What was published to one endpoint, until it is removed, and what is to be told of it when it has failed.
    ///
    /// - `endpoint_publications` has rows only of applications that want to be told.
    /// - `endpoint_event_drops` counts events that found no room since somebody last looked, in a row for each process of
    ///   the database: so no two transactions wait for one another.
    static let endpointFailures = """
        CREATE TABLE endpoint_publications (
            notification uuid PRIMARY KEY REFERENCES notifications (id) ON DELETE CASCADE,
            platform text COLLATE "C" NOT NULL,
            name text COLLATE "C" NOT NULL,
            installation text COLLATE "C" NOT NULL
        )

        ALTER TABLE endpoint_events ADD COLUMN notification uuid, ADD COLUMN failure text, ADD COLUMN reason text

        CREATE TABLE endpoint_event_drops (
            process integer PRIMARY KEY,
            count bigint NOT NULL
        )
        """
}
