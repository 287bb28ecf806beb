// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// When each API key was last used.
    static let keyUses = """
        ALTER TABLE api_keys ADD COLUMN last_used_at INTEGER;
        """

    /// User and password of subscribed URLs, sealed.
    static let subscriptionUsers = """
        ALTER TABLE subscriptions ADD COLUMN sealed_user BLOB;
        CREATE INDEX subscriptions_sealed ON subscriptions (id) WHERE sealed_user IS NOT NULL;
        """
}
