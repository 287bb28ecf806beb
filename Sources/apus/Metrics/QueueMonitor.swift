// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import Metrics
import PushModel
import PushStore
import ServiceLifecycle

/// Updates the metrics of the queues every few seconds: the number of batches in each lane, and their age.
///
/// It polls the store, instead of reading it for each scrape, so that metrics are served even if the store does not
/// respond.
struct QueueMonitor: Service {
    private let store: any NotificationStore
    private let logger: Logger
    private let interval: Duration
    private let now: @Sendable () -> Date
    private let batches: [Lane: Meter]
    private let ages: [Lane: Meter]

    init(
        of store: any NotificationStore,
        metrics: any MetricsFactory,
        interval: Duration = .seconds(5),
        now: @escaping @Sendable () -> Date = { Date() },
        logger: Logger
    ) {
        func perLane(_ label: String) -> [Lane: Meter] {
            let meters = Lane.allCases.map { lane in
                (lane, Meter(label: label, dimensions: [("lane", lane.rawValue)], factory: metrics))
            }
            return Dictionary(uniqueKeysWithValues: meters)
        }
        self.store = store
        self.logger = logger
        self.interval = interval
        self.now = now
        self.batches = perLane("apus_queue_batches")
        self.ages = perLane("apus_queue_oldest_age_seconds")
    }

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                await self.look(now: self.now())
                try await Task.sleep(for: self.interval)
            }
        }
    }

    private func look(now: Date) async {
        do {
            let open = try await self.store.openBatches(of: nil)
            for lane in Lane.allCases {
                let own = open.filter { $0.lane == lane }
                self.batches[lane]?.set(own.reduce(0) { $0 + $1.count })
                let age = own.map(\.oldest).min().map { max(0, now.timeIntervalSince($0)) }
                self.ages[lane]?.set(age ?? 0)
            }
        } catch is CancellationError {
            return
        } catch {
            self.logger.warning("Failed to read the queue metrics", metadata: ["error": "\(error)"])
        }
    }
}
