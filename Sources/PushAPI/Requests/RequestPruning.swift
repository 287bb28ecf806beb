// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import Metrics
import PushModel
import PushStore
import ServiceLifecycle

/// Forgets the answers to requests, and the streams, that are old enough, and what is left of topics that were deleted.
struct RequestPruning: Service {
    static let interval: Duration = .seconds(600)

    /// How many streams go at once; the store sees to it that these are not too many chunks.
    private static let streamsAtOnce = 100

    private static let recordsAtOnce = 1000

    /// How many subscriptions go at once.
    private static let subscriptionsAtOnce = 1000

    let store: any PushStore
    let metrics: PruningMetrics
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                do {
                    try await self.prune()
                } catch {
                    // When the server stops, what is left is removed after its next start.
                    if Task.isCancelled { return }
                    self.logger.warning("Old answers and streams could not be removed", error: error)
                }
                try await self.clock.sleep(for: Self.interval)
            }
        }
    }

    private func prune() async throws {
        let now = self.now()
        let records = now.addingTimeInterval(-(IdempotencyRecord.lifetime / .seconds(1)))
        try await self.repeated(.answer) {
            let limit = Self.recordsAtOnce
            let count = try await self.store.removeIdempotencyRecords(before: records, limit: limit)
            return (count, count == limit)
        }
        let streams = now.addingTimeInterval(-(StreamChunk.lifetime / .seconds(1)))
        try await self.repeated(.stream) {
            let removed = try await self.store.removeStreams(before: streams, limit: Self.streamsAtOnce)
            return (removed.streams, removed.hasMore)
        }
        let pending = now.addingTimeInterval(-(Subscription.pendingLifetime / .seconds(1)))
        while try await self.store.pruneTopics(pendingBefore: pending, limit: Self.subscriptionsAtOnce) {
            try Task.checkCancellation()
        }
    }

    /// Removes some at once until none are left.
    private func repeated(
        _ kind: PruningMetrics.Kind,
        _ remove: () async throws -> (count: Int, hasMore: Bool)
    ) async throws {
        var hasMore = true
        while hasMore {
            let removed = try await remove()
            self.metrics.count(kind, removed.count)
            hasMore = removed.hasMore
            try Task.checkCancellation()
        }
    }
}

/// Counts what is removed from the store for its age.
struct PruningMetrics: Sendable {
    enum Kind: String, CaseIterable {
        case notification
        case batch
        case chunk
        case stream
        case answer
        case event
        case activity
    }

    private let counters: [Kind: Counter]

    init(_ factory: any MetricsFactory) {
        let counters = Kind.allCases.map { kind in
            let dimensions = [("kind", kind.rawValue)]
            return (kind, Counter(label: "apus_store_pruned_total", dimensions: dimensions, factory: factory))
        }
        self.counters = Dictionary(uniqueKeysWithValues: counters)
    }

    func count(_ kind: Kind, _ count: Int) {
        if count > 0 { self.counters[kind]?.increment(by: count) }
    }
}
