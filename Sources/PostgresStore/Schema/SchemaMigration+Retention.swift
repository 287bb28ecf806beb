// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// Which notifications are settled, in the order in which they came to that: what is removed for its age is found at
    /// the old end.
    ///
    /// When the settled ones of before came to that is not known; they count from the acceptance of their last batch.
    static let retention = """
        CREATE TABLE settled_notifications (
            settled_at bigint NOT NULL,
            app bigint NOT NULL,
            notification uuid NOT NULL,
            PRIMARY KEY (settled_at, notification)
        )

        INSERT INTO settled_notifications (settled_at, app, notification)
        SELECT
            coalesce(
                (SELECT max(batches.created_at) FROM batches WHERE batches.notification = notifications.id),
                notifications.created_at
            ),
            notifications.app, notifications.id
        FROM notifications WHERE NOT is_open AND open_batches = 0
        """
}
