// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// How far the numbers of an app's devices were given when the newest one of them went: none is given twice.
    ///
    /// The place of a campaign in its audience is such a number, and a device that registers later must not come before it.
    static let deviceNumbers = """
        ALTER TABLE apps ADD COLUMN numbered_through INTEGER NOT NULL DEFAULT 0;

        CREATE TRIGGER devices_numbered AFTER DELETE ON devices
        WHEN NOT EXISTS (SELECT 1 FROM devices WHERE number > OLD.number AND number < (OLD.app + 1) << 40)
        BEGIN
            UPDATE apps SET numbered_through = OLD.number WHERE number = OLD.app AND numbered_through < OLD.number;
        END;
        """
}
