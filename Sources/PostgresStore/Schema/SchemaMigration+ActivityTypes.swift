// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// The types of Live Activities that apps have registered; the schemas are the JSON that was given.
    static let activityTypes = """
        CREATE TABLE activity_types (
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            created_at bigint NOT NULL,
            changed_at bigint NOT NULL,
            name text COLLATE "C" NOT NULL,
            content_state bytea,
            attributes bytea,
            PRIMARY KEY (app, name)
        )
        """
}
