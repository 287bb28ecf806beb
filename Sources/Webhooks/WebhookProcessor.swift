// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Logging
import PushModel
import PushStore
import ServiceLifecycle
import Work

/// Makes a few requests to one claimed webhook, until it has all of its events, fails, or others have their turn.
///
/// After an error the webhook stays leased until the lease expires.
struct WebhookProcessor: LeasedItem {
    static let kind = "webhook"

    let webhook: Webhook
    let context: WebhookService

    var logger: Logger { self.context.logger }
    var logMetadata: Logger.Metadata { ["webhook": "\(self.webhook.id)"] }

    func run() async {
        DebugTrap.check(.webhook, "\(self.webhook.id)")
        let line = WebhookHTTPClient(to: self.webhook.url, by: self.context.sender)
        await self.processing { _ in try await self.postAll(over: line) }
        await line.close()
    }

    private func postAll(over line: WebhookHTTPClient) async throws {
        let configuration = self.context.sender.configuration
        let worker = configuration.worker
        var webhook = self.webhook
        var requests = 0
        while requests < max(1, configuration.requestsPerTurn), !Task.isShuttingDownGracefully, !Task.isCancelled {
            let portion = try await self.next(for: webhook)
            var settlement = WebhookDeliveryUpdate(
                webhook: webhook.id,
                worker: worker,
                result: .advanced(to: portion.end)
            )
            if let first = portion.events.first, let last = portion.events.last {
                requests += 1
                let id = "msg_\(webhook.id)_\(first.cursor)_\(last.cursor)"
                let time = self.context.now()
                let answer = await line.post {
                    try self.context.sender.request(id: id, events: portion.events, to: self.webhook)
                }
                answer.count(as: "apus_webhooks_requests_total", in: self.context.metrics)
                settlement.delivery = WebhookDeliveryAttempt(
                    message: id,
                    time: time,
                    first: first.cursor,
                    last: last.cursor,
                    count: portion.events.count,
                    attempt: webhook.nextAttemptNumber,
                    response: answer
                )
                if !answer.isSuccess {
                    let failure = WebhookDeliveryUpdate.Failure(
                        cursor: last.cursor,
                        isGone: answer.isGone,
                        retryAfter: configuration.backoff.delay(after: webhook.nextAttemptNumber),
                        disableAfter: configuration.disableAfter
                    )
                    settlement.result = .failed(failure)
                }
            }
            if settlement.isAdvance, portion.hasMore { settlement.leaseDuration = configuration.leaseDuration }
            webhook = try await self.settle(settlement)
            guard settlement.leaseDuration != nil else { return }
            // The owner may have changed the webhook. Stop here; the next claim reads the new settings.
            guard webhook.state == .active, webhook.url == self.webhook.url else { break }
        }
        try await self.context.store.releaseWebhook(webhook.id, worker: worker)
    }

    /// Returns the events of the next request: those of the failed one, or at most the events of one request.
    private func next(for webhook: Webhook) async throws -> (events: [Event], end: EventCursor, hasMore: Bool) {
        let page = try await self.context.store.events(
            of: webhook.app,
            after: webhook.cursor,
            limit: self.context.sender.configuration.maximumEvents,
            kinds: webhook.kinds
        )
        if let end = webhook.retryTo {
            let events = page.events.filter { $0.cursor <= end }
            if !events.isEmpty { return (events, end, true) }
        }
        return (page.events, page.next, page.hasMore)
    }

    private func settle(_ settlement: WebhookDeliveryUpdate) async throws -> Webhook {
        let webhook = try await self.context.store.settleWebhook(settlement, now: self.context.now())
        guard !settlement.isAdvance else { return webhook }
        let answer = settlement.delivery?.response
        let isDisabled = if case .disabled = webhook.state { true } else { false }
        self.context.logger.log(
            level: isDisabled ? .error : .warning,
            isDisabled ? "A webhook was disabled" : "A webhook's receiver failed",
            metadata: [
                "webhook": "\(webhook.id)", "app": "\(webhook.app)",
                "webhook.failures": "\(webhook.consecutiveFailures)",
                "webhook.answer": "\(answer?.result ?? "none")",
            ]
        )
        return webhook
    }
}

extension Webhook {
    /// How many requests in a row have failed if the next one does; the stored count may be damaged.
    fileprivate var nextAttemptNumber: Int { self.consecutiveFailures.addingClamping(1) }
}

extension WebhookDeliveryUpdate {
    fileprivate var isAdvance: Bool { if case .advanced = self.result { true } else { false } }
}
