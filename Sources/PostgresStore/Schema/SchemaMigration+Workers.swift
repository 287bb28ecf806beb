// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// The processes that hold leases, each with the number of the advisory lock that its session holds.
    ///
    /// Times are milliseconds since 1970, by the clock of the server. Locks do not survive a start of the server.
    static let workers = """
        CREATE SEQUENCE worker_numbers AS integer CYCLE

        CREATE TABLE workers (
            server_started_at bigint NOT NULL,
            terminated_at bigint,
            number integer NOT NULL DEFAULT nextval('worker_numbers'),
            worker text COLLATE "C" PRIMARY KEY
        ) WITH (fillfactor = 50)
        """

    /// The items of work that workers had when they were terminated, and those that are quarantined.
    ///
    /// `key` is the primary key of the item's row as text, `item` its public ID. `note` are the numbers of the activities
    /// that a worker decides.
    static let workInterruptions = """
        ALTER TABLE workers ADD COLUMN note text

        CREATE TABLE interruptions (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            app bigint REFERENCES apps (number) ON DELETE CASCADE,
            count bigint NOT NULL,
            interrupted_at bigint NOT NULL,
            tried_at bigint,
            quarantined_at bigint,
            reported_at bigint,
            kind text COLLATE "C" NOT NULL,
            key text COLLATE "C" NOT NULL,
            item text COLLATE "C" NOT NULL,
            reason text COLLATE "C",
            progress text,
            UNIQUE (kind, key)
        )

        CREATE INDEX interruptions_by_app ON interruptions (app) WHERE app IS NOT NULL
        """
}
