// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// What the SNS endpoint knows beside apps and devices.
    ///
    /// - `platform_applications` has the names that callers give to apps in one environment; `attributes` is a JSON object of
    ///   texts. `credential` may name one that has been removed since.
    /// - `user_data` is what a caller keeps with a device.
    /// - `signing_secret` is the secret of an access key, sealed.
    static let platforms = """
        CREATE TABLE platform_applications (
            app bigint NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            created_at bigint NOT NULL,
            environment smallint NOT NULL,
            platform text COLLATE "C" NOT NULL,
            name text COLLATE "C" NOT NULL,
            credential text COLLATE "C" NOT NULL,
            attributes text NOT NULL,
            PRIMARY KEY (platform, name)
        )

        CREATE INDEX platform_applications_by_app ON platform_applications (app)

        ALTER TABLE devices ADD COLUMN user_data text

        ALTER TABLE api_keys ADD COLUMN signing_secret bytea
        """
}
