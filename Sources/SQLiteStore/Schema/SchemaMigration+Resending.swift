// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// Notifications that send the failed targets of another one again; of each there is one at most.
    static let resending = """
        ALTER TABLE notifications ADD COLUMN resend_of BLOB;
        CREATE UNIQUE INDEX notifications_by_resent ON notifications (resend_of) WHERE resend_of IS NOT NULL;
        """
}
