// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// An app's notifications, and those of them that are settled, are found by it.
    ///
    /// The first index also serves the foreign key: without one, SQLite looks through all notifications for each app that
    /// is removed.
    static let owners = """
        CREATE INDEX notifications_by_app ON notifications (app);
        CREATE INDEX settled_notifications_by_app ON settled_notifications (app, notification);
        """
}
