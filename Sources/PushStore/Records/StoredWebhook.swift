// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel

extension Webhook {
    /// Reads the columns of the table `webhooks`, and `app_id`.
    package init(stored row: some StoredRow) throws {
        guard let url = WebhookURL(try row.string("url")) else { throw StoreError.damaged("webhook") }
        let kinds = try row.text("kinds")?.split(separator: " ").map { EventKind(rawValue: String($0)) }
        self.init(
            id: try row.identifier("id"),
            app: try row.identifier("app_id"),
            url: url,
            kinds: kinds.map { Set($0) },
            sealedSecret: try row.blob("secret"),
            createdAt: try row.date("created_at"),
            state: try WebhookState(stored: row),
            cursor: EventCursor(sequence: Int64(try row.number("event"))),
            retryTo: try row.integer("retry_to").map { EventCursor(sequence: $0) },
            failures: try row.number("failures"),
            failingSince: try row.optionalDate("failing_since"),
            nextAttempt: try row.date("next_attempt"),
            lost: try row.number("lost")
        )
    }

    /// What the column `kinds` holds.
    package var storedKinds: String? { self.kinds?.sorted().map(\.rawValue).joined(separator: " ") }
}

extension WebhookState {
    fileprivate init(stored row: some StoredRow) throws {
        switch try row.number("state") {
        case 0: self = .active
        case 1: self = .paused
        default:
            self = .disabled(
                reason: try row.text("disabled_reason").flatMap { Reason(rawValue: $0) } ?? .failing,
                since: try row.optionalDate("disabled_at") ?? row.date("created_at")
            )
        }
    }

    /// What the columns `state`, `disabled_reason` and `disabled_at` hold.
    package var stored: (number: Int, reason: String?, since: Int64?) {
        switch self {
        case .active: (0, nil, nil)
        case .paused: (1, nil, nil)
        case .disabled(let reason, let since): (2, reason.rawValue, since.millisecondsSince1970)
        }
    }
}

extension WebhookDelivery {
    /// How many requests are kept of each webhook.
    package static let keptCount = 100

    /// Reads the columns of the table `webhook_deliveries`.
    package init(stored row: some StoredRow) throws {
        self.init(
            message: try row.string("message"),
            time: try row.date("time"),
            first: EventCursor(sequence: Int64(try row.number("first"))),
            last: EventCursor(sequence: Int64(try row.number("last"))),
            count: try row.number("count"),
            attempt: try row.number("attempt"),
            answer: WebhookAnswer(
                status: try row.integer("status").map { Int($0) },
                failure: try row.text("failure").map { WebhookAnswer.Failure(rawValue: $0) },
                excerpt: try row.text("excerpt"),
                duration: .milliseconds(Int64(try row.number("milliseconds")))
            )
        )
    }

    /// What the column `milliseconds` holds.
    package var storedMilliseconds: Int64 { Int64((self.answer.duration / .milliseconds(1)).rounded()) }
}
