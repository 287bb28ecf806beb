// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import Logging
package import Metrics
import PushModel
package import PushStore
import ServiceLifecycle
import Work

/// Runs jobs when they are due.
///
/// Any number of schedulers can share a store: the lease holder executes a run, and after a crash another worker
/// continues exactly where it stopped. A scheduler never connects to APNs. A failure of one job does not affect others.
/// On graceful shutdown, runs in the store are released at once; handlers are awaited.
package struct JobScheduler: Service {
    let store: any JobQueue & StoreChangeSource
    let scope: JobSelection
    let handler: any JobHandler
    let configuration: JobSchedulerConfiguration
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let metrics: JobMetrics
    let logger: Logger

    package init(
        store: any JobQueue & StoreChangeSource,
        scope: JobSelection = .builtIn,
        handler: any JobHandler = NoOpJobHandler(),
        configuration: JobSchedulerConfiguration = JobSchedulerConfiguration(),
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        metrics: any MetricsFactory = MetricsSystem.factory,
        logger: Logger
    ) {
        self.store = store
        self.scope = scope
        self.handler = handler
        self.configuration = configuration
        self.clock = clock
        self.now = now
        self.metrics = JobMetrics(metrics)
        self.logger = logger
    }

    package func run() async throws {
        // A claim creates the runs that are due, also if none can start.
        let loop = ClaimLoop(
            kind: "job runs",
            capacity: Slots<ClaimedJobRun>(self.configuration.concurrency, claimsWhenFull: true),
            pollInterval: self.configuration.pollInterval,
            clock: self.clock,
            now: self.now,
            logger: self.logger
        ) { limit in
            let claim = try await self.store.claimJobRuns(
                of: self.scope,
                limit: limit,
                worker: self.configuration.worker,
                leaseDuration: self.configuration.leaseDuration,
                now: self.now()
            )
            let isFull = claim.runs.count >= limit
            let next = isFull ? nil : (try? await self.store.nextJobTime(of: self.scope))
            return Claimed(claim.runs, hasMore: claim.hasMore, nextDue: next)
        } process: { claimed, slot in
            await JobProcessor(claimed: claimed, context: self).run()
            slot.end()
        }
        await loop.run(on: self.store.changes { $0 == .jobsDue })
    }
}
