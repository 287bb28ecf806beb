// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// The types of Live Activities that apps have registered; the schemas are the JSON that was given.
    static let activityTypes = """
        CREATE TABLE activity_types (
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            name TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,
            content_state BLOB,
            attributes BLOB,
            PRIMARY KEY (app, name)
        ) STRICT, WITHOUT ROWID;
        """
}
