// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// What posting to the URLs that are subscribed to topics needs beside its queue.
    ///
    /// - The indices find what waits for one subscription, and which subscriptions are being posted to.
    /// - `delivery_identity` has one row at most: what signs deliveries, the key sealed.
    static let topicQueues = """
        CREATE INDEX topic_deliveries_by_subscription ON topic_deliveries (subscription, due_at, number);
        CREATE INDEX topic_deliveries_leased ON topic_deliveries (subscription, due_at) WHERE worker IS NOT NULL;

        CREATE TABLE delivery_identity (
            number INTEGER PRIMARY KEY CHECK (number = 1),
            certificate TEXT NOT NULL,
            sealed_key BLOB NOT NULL
        ) STRICT;
        """
}
