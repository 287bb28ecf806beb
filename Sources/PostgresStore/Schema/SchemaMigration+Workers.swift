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
}
