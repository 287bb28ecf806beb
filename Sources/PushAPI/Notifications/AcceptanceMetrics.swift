// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Metrics
import PushModel
import PushStore

/// Counts what is accepted, and how long the store took to make it durable.
struct AcceptanceMetrics: Sendable {
    private let accepted: [Lane: Counter]
    private let storing: Timer
    private let fullQueues: Counter
    private let factory: any MetricsFactory

    init(_ factory: any MetricsFactory) {
        self.factory = factory
        let counters = Lane.allCases.map { lane in
            let dimensions = [("lane", lane.rawValue)]
            return (lane, Counter(label: "apus_api_accepted_total", dimensions: dimensions, factory: factory))
        }
        self.accepted = Dictionary(uniqueKeysWithValues: counters)
        self.storing = Timer(label: "apus_store_accept_seconds", factory: factory)
        self.fullQueues = Counter(
            label: "apus_topics_deliveries_total",
            dimensions: [("end", "queue-full")],
            factory: factory
        )
    }

    /// Stores a plan, with a note where there is one, and counts its targets when that is done.
    func accept(
        _ plan: NotificationPlan,
        noting note: AcceptanceNote? = nil,
        in store: any PushStore
    ) async throws {
        let duration = try await ContinuousClock().measure {
            try await store.accept(plan.notification, batches: plan.batches, noting: note)
        }
        let (seconds, attoseconds) = duration.components
        self.storing.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        self.count(plan.batches)
    }

    /// Counts URLs that a message is not posted to, since as much waits for them as may.
    func countFullQueues(_ count: Int) {
        if count > 0 { self.fullQueues.increment(by: count) }
    }

    /// Counts an app whose devices of a platform of SNS are left out of a publication.
    func countLeftOut(_ platform: String) {
        Counter(
            label: "apus_sns_left_out_total",
            dimensions: [("platform", platform)],
            factory: self.factory
        ).increment()
    }

    /// Counts the targets of batches that were accepted.
    func count(_ batches: [Batch]) {
        for batch in batches { self.accepted[batch.lane]?.increment(by: batch.targets.count) }
    }
}
