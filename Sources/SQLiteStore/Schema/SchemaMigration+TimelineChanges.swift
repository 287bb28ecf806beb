// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// What was changed, in the timelines of Live Activities: an array in JSON; what was changed before is not known.
    static let timelineChanges = """
        ALTER TABLE activity_timeline ADD COLUMN changes TEXT;
        """
}
