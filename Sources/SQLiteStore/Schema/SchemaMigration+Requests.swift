// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// What was answered to requests, and how far streams have come, so that neither is carried out twice.
    ///
    /// Times are milliseconds since 1970. A stream's lines count from 1; a chunk covers those from `first_line` up to, and
    /// not with, `end_line`.
    static let requests = """
        CREATE TABLE idempotency_records (
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            api_key TEXT NOT NULL,
            key TEXT NOT NULL,
            request_hash BLOB NOT NULL,
            notification BLOB NOT NULL,
            status INTEGER NOT NULL,
            location TEXT,
            body BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (app, api_key, key)
        ) STRICT;
        CREATE INDEX idempotency_records_by_time ON idempotency_records (created_at);

        CREATE TABLE streams (
            number INTEGER PRIMARY KEY,
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            id TEXT NOT NULL,
            accepted_lines INTEGER NOT NULL,
            accepted_at INTEGER NOT NULL,
            UNIQUE (app, id)
        ) STRICT;
        CREATE INDEX streams_by_time ON streams (accepted_at);

        CREATE TABLE stream_chunks (
            stream INTEGER NOT NULL REFERENCES streams (number) ON DELETE CASCADE,
            end_line INTEGER NOT NULL,
            first_line INTEGER NOT NULL,
            notification BLOB,
            entries BLOB NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (stream, end_line)
        ) STRICT;
        """
}
