// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// The broadcast channels of apps; `channel` is APNs' own identifier, which is not known while one is being made.
    ///
    /// - An activity that is bound to a channel has it as JSON, as it was then, and by its name beside it. It is among those to
    ///   whom the activity is sent: a participant that is no phone, whose token is the text of the identifier.
    /// - A phone that can subscribe to channels has said so with the token that starts activities on it.
    /// - Whoever binds an activity to a channel, or deletes one, holds its row locked.
    static let channels = """
        CREATE TABLE channels (
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            created_at bigint NOT NULL,
            environment smallint NOT NULL,
            policy smallint NOT NULL,
            state smallint NOT NULL,
            name text COLLATE "C" NOT NULL,
            channel text COLLATE "C",
            PRIMARY KEY (app, name)
        )

        CREATE UNIQUE INDEX channels_by_channel ON channels (app, environment, channel) WHERE channel IS NOT NULL

        ALTER TABLE activities ADD COLUMN channel text

        ALTER TABLE activities ADD COLUMN channel_name text COLLATE "C"

        CREATE INDEX activities_by_channel ON activities (app, channel_name)
            WHERE channel_name IS NOT NULL AND state < 2

        ALTER TABLE push_to_start_tokens ADD COLUMN supports_channels smallint NOT NULL DEFAULT 0
        """
}
