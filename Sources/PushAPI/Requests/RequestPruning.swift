// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushModel
import PushStore
import ServiceLifecycle

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Forgets the answers to requests, and the streams, that are old enough.
struct RequestPruning: Service {
    /// How often it looks.
    static let interval: Duration = .seconds(600)

    /// How many streams go at once; each may have many chunks.
    private static let streamsAtOnce = 10

    private static let recordsAtOnce = 1000

    let store: any PushStore
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let logger: Logger

    /// Looks every ten minutes until the server stops.
    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                do {
                    try await self.prune()
                } catch let error as StoreError {
                    self.logger.warning("Old answers and streams could not be removed", error: error)
                }
                try await self.clock.sleep(for: Self.interval)
            }
        }
    }

    private func prune() async throws {
        let now = self.now()
        let records = now.addingTimeInterval(-(IdempotencyRecord.lifetime / .seconds(1)))
        while try await self.store.removeIdempotencyRecords(before: records, limit: Self.recordsAtOnce)
            == Self.recordsAtOnce
        {
            try Task.checkCancellation()
        }
        let streams = now.addingTimeInterval(-(StreamChunk.lifetime / .seconds(1)))
        while try await self.store.removeStreams(before: streams, limit: Self.streamsAtOnce) == Self.streamsAtOnce {
            try Task.checkCancellation()
        }
    }
}
