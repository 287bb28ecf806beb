// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel

/// The webhooks, how far each has come in the feed, and who posts for it at the moment.
///
/// `claimWebhooks` leases a webhook with new events to a worker, which reads them by `EventStore.events`, posts them,
/// and advances the cursor by `settleWebhook`. After a lease expired, events are posted again. `Webhook` has the rules.
public protocol WebhookStore: Sendable {
    /// Adds a webhook; signals ``StoreChange/webhooksChanged``, throws `.conflict` if there is one of that ID.
    func createWebhook(_ webhook: Webhook) async throws

    func webhook(_ id: WebhookID) async throws -> Webhook?

    /// An app's webhooks in the order of their creation; none for an app that does not exist.
    func webhooks(of app: AppID) async throws -> [Webhook]

    /// Applies changes in their order, as `Webhook.apply` does; signals ``StoreChange/webhooksChanged``.
    func changeWebhook(_ id: WebhookID, _ changes: [WebhookUpdate], now: Date) async throws -> Webhook?

    @discardableResult
    func deleteWebhook(_ id: WebhookID) async throws -> Bool

    /// Leases webhooks that are active, due, and not at the end of their app's feed, those that waited longest first.
    func claimWebhooks(limit: Int, worker: WorkerID, leaseDuration: Duration, now: Date) async throws -> [Webhook]

    /// Stores the result of a request in one transaction; keeps the last 100 of the webhook.
    ///
    /// If the result disables the webhook, appends `webhook.disabled`. Signals ``StoreChange/webhooksChanged`` when the
    /// lease is released.
    func settleWebhook(_ settlement: WebhookDeliveryUpdate, now: Date) async throws -> Webhook

    /// Gives a webhook back unless the lease is lost; signals ``StoreChange/webhooksChanged``.
    func releaseWebhook(_ id: WebhookID, worker: WorkerID) async throws

    /// Returns the last requests to a webhook, at most 100, the latest first.
    func webhookDeliveries(of webhook: WebhookID, limit: Int) async throws -> [WebhookDeliveryAttempt]
}

extension Webhook {
    package init(stored row: StoredRow) throws {
        guard let url = WebhookURL(try row.string("url")) else { throw StoreError.damaged("webhook") }
        let kinds = try row.text("kinds")?.split(separator: " ").map { EventType(rawValue: String($0)) }
        self.init(
            id: try row.identifier("id"),
            app: try row.identifier("app_id"),
            url: url,
            kinds: kinds.map { Set($0) },
            sealedSecret: try row.blob("secret"),
            createdAt: try row.date("created_at"),
            state: try WebhookState(stored: row),
            cursor: EventCursor(sequence: try row.int64("event")),
            retryTo: try row.integer("retry_to").map { EventCursor(sequence: $0) },
            consecutiveFailures: try row.number("failures", in: StoredLimit.counts),
            failingSince: try row.optionalDate("failing_since"),
            nextAttemptAt: try row.date("next_attempt"),
            droppedEvents: try row.number("lost", in: StoredLimit.sums)
        )
    }

    package var storedKinds: String? { self.kinds?.sorted().map(\.rawValue).joined(separator: " ") }
}

extension WebhookState {
    fileprivate init(stored row: StoredRow) throws {
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

    package var stored: (number: Int, reason: String?, since: Int64?) {
        switch self {
        case .active: (0, nil, nil)
        case .paused: (1, nil, nil)
        case .disabled(let reason, let since): (2, reason.rawValue, since.millisecondsSince1970)
        }
    }
}

extension WebhookDeliveryAttempt {
    package static let keptCount = 100

    package init(stored row: StoredRow) throws {
        self.init(
            message: try row.string("message"),
            time: try row.date("time"),
            first: EventCursor(sequence: try row.int64("first")),
            last: EventCursor(sequence: try row.int64("last")),
            count: try row.number("count"),
            attempt: try row.number("attempt"),
            response: WebhookAttemptResult(
                status: try row.optionalNumber("status"),
                failure: try row.text("failure").map { WebhookAttemptResult.Failure(rawValue: $0) },
                excerpt: try row.text("excerpt"),
                duration: .milliseconds(Int64(try row.number("milliseconds")))
            )
        )
    }

    package var storedMilliseconds: Int64 { (self.response.duration + .microseconds(500)).wholeMilliseconds }
}
