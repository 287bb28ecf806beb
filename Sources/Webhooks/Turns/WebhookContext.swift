// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import Metrics
import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What every turn works with.
struct WebhookContext: Sendable {
    let store: any WebhookSource
    let sender: WebhookSender
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let metrics: any MetricsFactory
    let logger: Logger

    var configuration: WebhookConfiguration { self.sender.configuration }

    /// Leases webhooks that have events to get.
    func claim(_ limit: Int) async -> [Webhook] {
        guard limit > 0 else { return [] }
        do {
            return try await self.store.claimWebhooks(
                limit: limit,
                worker: self.configuration.worker,
                leaseDuration: self.configuration.leaseDuration,
                now: self.now()
            )
        } catch {
            // The next signal or poll tries again.
            self.logger.error("No webhooks can be claimed", metadata: ["error": "\(error)"])
            return []
        }
    }

    /// Counts a request by what came back: the status, or why there was none.
    func count(_ answer: WebhookAnswer) {
        let result = answer.status.map(String.init) ?? answer.failure?.rawValue ?? "none"
        let dimensions = [("result", result)]
        Counter(label: "apus_webhooks_requests_total", dimensions: dimensions, factory: self.metrics).increment()
    }
}
