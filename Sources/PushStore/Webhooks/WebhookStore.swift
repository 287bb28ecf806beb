// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The webhooks, how far each has come in the feed, and who posts for it at the moment.
///
/// Its life: `claimWebhooks` gives a worker the lease of a webhook that has events to get, the worker reads these by
/// `EventStore.events`, posts them, and tells by `settleWebhook`, which moves the cursor. A lease that lapses is claimed
/// by others, so that events which were posted but not settled are posted twice. `Webhook` has the rules.
public protocol WebhookStore: Sendable {
    /// Adds a webhook to its app.
    ///
    /// Signals ``StoreChange/webhooksChanged``.
    /// - Throws: ``StoreError`` `.notFound` when there is no such app, `.conflict` when there is a webhook of that id.
    func createWebhook(_ webhook: Webhook) async throws

    /// The webhook of that id, or `nil`.
    func webhook(_ id: WebhookID) async throws -> Webhook?

    /// An app's webhooks in the order of their creation; none for an app that does not exist.
    func webhooks(of app: AppID) async throws -> [Webhook]

    /// Changes a webhook as its owner wants it; see `Webhook.apply`.
    ///
    /// A worker that is posting goes on with what it has begun. Signals ``StoreChange/webhooksChanged``.
    /// - Parameters:
    ///   - id: the webhook.
    ///   - changes: what to change, in that order, in one transaction.
    ///   - now: when.
    /// - Returns: the webhook as it is now; `nil` when there is none of that id.
    /// - Throws: ``StoreError``.
    func changeWebhook(_ id: WebhookID, _ changes: [WebhookChange], now: Date) async throws -> Webhook?

    /// Removes a webhook with its list of requests.
    ///
    /// - Returns: whether there was such a webhook.
    @discardableResult
    func deleteWebhook(_ id: WebhookID) async throws -> Bool

    /// Leases webhooks that are active, due, and not at the end of their app's feed, those that waited longest first.
    ///
    /// Atomic: two workers never hold the same webhook, nor one worker twice, unless its lease lapsed. Nothing is
    /// written when there is none.
    /// - Parameters:
    ///   - limit: the most webhooks, 1...1000.
    ///   - worker: who asks.
    ///   - leaseDuration: how long the leases hold; more than zero.
    ///   - now: the time of the claim.
    /// - Returns: the webhooks.
    /// - Throws: ``StoreError``.
    func claimWebhooks(
        limit: Int,
        worker: WorkerID,
        leaseDuration: Duration,
        now: Date
    ) async throws -> [Webhook]

    /// Books what became of a request, in one transaction; keeps it among the last 100 of the webhook.
    ///
    /// When that disables the webhook, appends `webhook.disabled`. Signals ``StoreChange/webhooksChanged`` when the
    /// lease is given back.
    /// - Parameters:
    ///   - settlement: what became of it.
    ///   - now: when that became known.
    /// - Returns: the webhook as it is now.
    /// - Throws: ``StoreError`` `.leaseLost` when the worker does not hold the lease, or the webhook is gone.
    func settleWebhook(_ settlement: WebhookSettlement, now: Date) async throws -> Webhook

    /// Gives the lease of a webhook back; does nothing when the worker lost it.
    ///
    /// Signals ``StoreChange/webhooksChanged``.
    func releaseWebhook(_ id: WebhookID, worker: WorkerID) async throws

    /// The last requests to a webhook's receiver, the youngest first.
    ///
    /// - Parameters:
    ///   - webhook: the webhook; one that does not exist has none.
    ///   - limit: the most requests to answer, 1...100.
    /// - Returns: the requests.
    /// - Throws: ``StoreError``.
    func webhookDeliveries(of webhook: WebhookID, limit: Int) async throws -> [WebhookDelivery]
}
