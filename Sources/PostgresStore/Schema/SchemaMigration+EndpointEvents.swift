// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// What became of endpoints and is still to be published to the topic that their application names for it.
    static let endpointEvents = """
        CREATE TABLE endpoint_events (
            number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            time bigint NOT NULL,
            due_at bigint NOT NULL,
            platform text COLLATE "C" NOT NULL,
            name text COLLATE "C" NOT NULL,
            installation text COLLATE "C" NOT NULL,
            kind text NOT NULL,
            topic text NOT NULL,
            worker text
        )

        CREATE INDEX endpoint_events_due ON endpoint_events (due_at, number)

        CREATE INDEX endpoint_events_by_app ON endpoint_events (app)
        """
}
