// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import GRDB
import PushModel
import PushStore

extension Webhook {
    /// Reads a webhook from its row, which has the app's id as `app_id`.
    init(row: Row) throws {
        guard
            let id = WebhookID(rawValue: row["id"]), let app = AppID(rawValue: row["app_id"]),
            let url = WebhookURL(row["url"] as String)
        else { throw StoreError.damaged("webhook") }
        let kinds = (row["kinds"] as String?)?.split(separator: " ").map { EventKind(rawValue: String($0)) }
        self.init(
            id: id,
            app: app,
            url: url,
            kinds: kinds.map { Set($0) },
            sealedSecret: row.bytes("secret"),
            createdAt: row.date("created_at"),
            state: WebhookState(row: row),
            cursor: EventCursor(sequence: row["event"]),
            retryTo: (row["retry_to"] as Int64?).map { EventCursor(sequence: $0) },
            failures: row["failures"],
            failingSince: row.optionalDate("failing_since"),
            nextAttempt: row.date("next_attempt"),
            lost: row["lost"]
        )
    }

    /// The kinds as the column `kinds` holds them.
    var storedKinds: String? { self.kinds?.sorted().map(\.rawValue).joined(separator: " ") }
}

extension WebhookState {
    fileprivate init(row: Row) {
        switch row["state"] as Int {
        case 0: self = .active
        case 1: self = .paused
        default:
            let reason = (row["disabled_reason"] as String?).flatMap { Reason(rawValue: $0) }
            self = .disabled(
                reason: reason ?? .failing,
                since: row.optionalDate("disabled_at") ?? row.date("created_at")
            )
        }
    }

    /// What the columns `state`, `disabled_reason` and `disabled_at` hold.
    var stored: (number: Int, reason: String?, since: Int64?) {
        switch self {
        case .active: (0, nil, nil)
        case .paused: (1, nil, nil)
        case .disabled(let reason, let since): (2, reason.rawValue, since.millisecondsSince1970)
        }
    }
}

extension WebhookDelivery {
    /// Reads a request from its row.
    init(row: Row) {
        self.init(
            message: row["message"],
            time: row.date("time"),
            first: EventCursor(sequence: row["first"]),
            last: EventCursor(sequence: row["last"]),
            count: row["count"],
            attempt: row["attempt"],
            answer: WebhookAnswer(
                status: row["status"],
                failure: (row["failure"] as String?).map { WebhookAnswer.Failure(rawValue: $0) },
                excerpt: row["excerpt"],
                duration: .milliseconds(row["milliseconds"] as Int64)
            )
        )
    }
}

extension Database {
    /// The webhooks of which a condition holds.
    func webhooks(_ condition: String, _ arguments: StatementArguments) throws -> [Webhook] {
        try self.rows(
            """
            SELECT webhooks.*, apps.id AS app_id FROM webhooks JOIN apps ON apps.number = webhooks.app
            WHERE \(condition)
            """,
            arguments
        ).map(Webhook.init(row:))
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
