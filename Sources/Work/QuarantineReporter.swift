// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import Logging
package import Metrics
import PushModel
package import PushStore
import ServiceLifecycle

/// Tries the items that terminated two processes, one at a time, and reports those that are quarantined: pauses the
/// campaign or the webhook, appends an event, counts and logs.
///
/// An event is missing if the process is terminated before it is appended.
package struct QuarantineReporter: Service {
    package typealias Store = CampaignStore & EventStore & QuarantineStore & WebhookStore & WorkerLiveness

    private let store: any Store
    private let interval: Duration
    private let clock: any Clock<Duration>
    private let now: @Sendable () -> Date
    private let metrics: any MetricsFactory
    private let logger: Logger

    package init(
        store: any Store,
        interval: Duration = .seconds(1),
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        metrics: any MetricsFactory,
        logger: Logger
    ) {
        self.store = store
        self.interval = interval
        self.clock = clock
        self.now = now
        self.metrics = metrics
        self.logger = logger
    }

    package func run() async throws {
        try? await cancelWhenGracefulShutdown {
            let message: Logger.Message = "Failed to try or report items that terminated processes"
            try await repeating(message, every: self.interval, self.clock, self.logger) {
                try await self.store.tryNextSuspect(now: self.now())
                for item in try await self.store.unreportedItems(limit: 100) { try await self.report(item) }
            }
        }
    }

    private func report(_ item: QuarantinedItem) async throws {
        // It may have been repeated meanwhile.
        guard try await self.store.quarantinedItem(item.number) != nil else { return }
        if item.reason == .interrupted {
            do {
                try await self.pause(item)
            } catch let error as StoreError where error.code == .corrupt {
                // It is not claimed in any case.
            }
        }
        guard try await self.store.markReported(item.number, now: self.now()) else { return }
        let dimensions = [("type", item.kind.rawValue)]
        Counter(label: "apus_work_quarantined_total", dimensions: dimensions, factory: self.metrics).increment()
        var metadata: Logger.Metadata = [
            "type": "\(item.kind.rawValue)", "item": "\(item.item)", "reason": "\(item.reason.rawValue)",
        ]
        if let app = item.app { metadata["app"] = "\(app)" }
        self.logger.error("Quarantined an item of work; repeat or remove it with 'apus quarantine'", metadata: metadata)
        do {
            if let event = NewEvent.quarantined(item) { try await self.store.append([event]) }
        } catch let error as StoreError where error.code == .notFound {
            // The app was deleted meanwhile.
        }
    }

    private func pause(_ item: QuarantinedItem) async throws {
        if item.kind == .campaign, let id = CampaignID(item.item) {
            _ = try await self.store.pauseCampaign(id, now: self.now())
        } else if item.kind == .webhook, let id = WebhookID(rawValue: item.item) {
            _ = try await self.store.changeWebhook(id, [.pause], now: self.now())
        }
    }
}
