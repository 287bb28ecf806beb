// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SQLSchema {
    /// The secrets of installations, and the activities that belong to them.
    ///
    /// - `installation_secret` is the SHA-256 of a secret. NULL is a device that never had one, an empty value one whose
    ///   secret was reset. A participant has its own, because its device may be registered later, or never.
    /// - `apps.installation_secrets`: 0 optional, 1 required. `apps.activity_joins`: 0 any, 1 named.
    /// - `activities.owner` is the installation that created the activity with a client key; NULL for one of a backend.
    /// - `activity_members` has the devices (0) and users (1) that may join an activity.
    static let installationSecrets = """
        ALTER TABLE apps ADD COLUMN installation_secrets smallint NOT NULL DEFAULT 0;
        ALTER TABLE apps ADD COLUMN activity_joins smallint NOT NULL DEFAULT 0;
        ALTER TABLE apps ADD COLUMN installations_bind_until bigint;
        ALTER TABLE devices ADD COLUMN installation_secret bytea;
        ALTER TABLE activity_participants ADD COLUMN installation_secret bytea;
        ALTER TABLE activities ADD COLUMN owner text COLLATE "C";
        CREATE INDEX activities_by_owner ON activities (app, owner) WHERE owner IS NOT NULL;
        CREATE INDEX push_to_start_tokens_by_device ON push_to_start_tokens (app, installation);

        CREATE TABLE activity_members (
            activity bigint NOT NULL REFERENCES activities (number) ON DELETE CASCADE,
            kind smallint NOT NULL,
            name text COLLATE "C" NOT NULL,
            PRIMARY KEY (activity, kind, name)
        ) STRICT, WITHOUT ROWID;
        """

    /// Attestations of new installations: `apps.attestation` is 0 off, 1 report, 2 required.
    static let appAttest = """
        ALTER TABLE apps ADD COLUMN attestation smallint NOT NULL DEFAULT 0;
        ALTER TABLE apps ADD COLUMN team_id text;
        """
}
