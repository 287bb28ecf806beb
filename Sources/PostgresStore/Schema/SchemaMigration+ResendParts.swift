// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// What sends the failed targets of a notification again in several parts: up to which one each goes.
    ///
    /// Without a value it goes to the end. Of one notification two parts never go equally far: of two that are made at once
    /// one is refused.
    static let resendParts = """
        ALTER TABLE notifications ADD COLUMN resend_through uuid

        DROP INDEX IF EXISTS notifications_by_resent

        CREATE UNIQUE INDEX notifications_by_resent
            ON notifications (resend_of, (COALESCE(resend_through, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)))
            WHERE resend_of IS NOT NULL
        """
}
