// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// Which notifications are settled, in the order in which they came to that: what is removed for its age is found at
    /// the old end.
    ///
    /// Nothing refers to a table by a foreign key here: a notification that is gone leaves a place that is passed over.
    /// When the settled ones of before came to that is not known; they count from the acceptance of their last batch.
    static let retention = """
        CREATE TABLE settled_notifications (
            settled_at INTEGER NOT NULL,
            notification BLOB NOT NULL,
            app INTEGER NOT NULL,
            PRIMARY KEY (settled_at, notification)
        ) STRICT, WITHOUT ROWID;

        INSERT INTO settled_notifications (settled_at, notification, app)
        SELECT
            coalesce(
                (SELECT max(batches.created_at) FROM batches WHERE batches.notification = notifications.id),
                notifications.created_at
            ),
            notifications.id, notifications.app
        FROM notifications
        WHERE NOT is_open AND NOT EXISTS (
            SELECT 1 FROM batches WHERE batches.notification = notifications.id AND (state < 3 OR state = 7)
        );
        """
}
