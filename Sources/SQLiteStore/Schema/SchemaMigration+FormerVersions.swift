// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// What phones of activities count as having been sent if the push that was sent to them last comes to nothing.
    ///
    /// Without a value that is the version before, as it was taken until then.
    static let formerVersions = """
        ALTER TABLE activity_participants ADD COLUMN former_version INTEGER;
        """
}
