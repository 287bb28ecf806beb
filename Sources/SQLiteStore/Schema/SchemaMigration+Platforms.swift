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
            platform TEXT NOT NULL,
            name TEXT NOT NULL,
            app INTEGER NOT NULL REFERENCES apps (number) ON DELETE CASCADE,
            environment INTEGER NOT NULL,
            credential TEXT NOT NULL,
            attributes TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            PRIMARY KEY (platform, name)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX platform_applications_by_app ON platform_applications (app);

        ALTER TABLE devices ADD COLUMN user_data TEXT;

        ALTER TABLE api_keys ADD COLUMN signing_secret BLOB;
        """
}
