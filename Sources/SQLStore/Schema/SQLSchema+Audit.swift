// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SQLSchema {
    /// The log of changes, and the origin, the successor and the allowed addresses of API keys.
    ///
    /// - `audit_log.app` and `audit_log.resource` are public IDs, because an entry outlives what it describes.
    ///   `state_before` and `state_after` are JSON without secrets.
    /// - `api_keys.allowed_addresses` has ranges in CIDR notation, separated by spaces; NULL allows all addresses.
    static let auditLogAndKeys = """
        CREATE TABLE audit_log (
            number identity,
            time bigint NOT NULL,
            actor_type text NOT NULL,
            action text COLLATE "C" NOT NULL,
            resource text COLLATE "C" NOT NULL,
            app text COLLATE "C",
            actor text COLLATE "C",
            actor_name text,
            address text,
            state_before text,
            state_after text
        ) STRICT;
        CREATE INDEX audit_log_by_time ON audit_log (time);
        ALTER TABLE api_keys ADD COLUMN allowed_addresses text;
        ALTER TABLE api_keys ADD COLUMN created_by text;
        ALTER TABLE api_keys ADD COLUMN replaced_by text;
        ALTER TABLE api_keys ADD COLUMN last_used_address text;
        """

    /// The key that seals device tokens and contents, sealed under the master key; at most one row.
    ///
    /// A store with this row is sealed. `is_complete` is 0 until the rows of before are sealed too. `StoredContent` defines
    /// the form of sealed values.
    static let dataKey = """
        CREATE TABLE data_key (
            number integer PRIMARY KEY CHECK (number = 1),
            is_complete smallint NOT NULL,
            sealed bytea NOT NULL
        ) STRICT;
        """
}
