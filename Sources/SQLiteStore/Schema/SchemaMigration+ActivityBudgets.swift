// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// The budgets of Live Activities: how many pushes of priority 10 phones may be sent with the newest content, and how many
    /// each was sent lately.
    ///
    /// `PushBudget` and `RecentPushes` say how these are written; what was sent before is not known.
    static let activityBudgets = """
        ALTER TABLE activities ADD COLUMN budget INTEGER;

        ALTER TABLE activity_participants ADD COLUMN recent_pushes BLOB;
        """
}
