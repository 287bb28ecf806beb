// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import SQLite

extension Database {
    /// The webhooks of which a condition holds.
    func webhooks(_ condition: String, _ arguments: StatementArguments) throws -> [Webhook] {
        try self.rows(
            """
            SELECT webhooks.*, apps.id AS app_id FROM webhooks JOIN apps ON apps.number = webhooks.app
            WHERE \(condition)
            """,
            arguments
        ).map(Webhook.init(stored:))
    }

    /// Writes back what changes about a webhook, but for its lease.
    func update(_ webhook: Webhook) throws {
        let state = webhook.state.stored
        try self.run(
            """
            UPDATE webhooks SET url = ?, kinds = ?, state = ?, disabled_reason = ?, disabled_at = ?, event = ?,
                retry_to = ?, failures = ?, failing_since = ?, next_attempt = ?, lost = ? WHERE id = ?
            """,
            [
                webhook.url.text, webhook.storedKinds, state.number, state.reason, state.since,
                webhook.cursor.sequence, webhook.retryTo?.sequence, webhook.failures,
                webhook.failingSince?.millisecondsSince1970, webhook.nextAttempt.millisecondsSince1970, webhook.lost,
                webhook.id.rawValue,
            ]
        )
    }
}
