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
/// Any number of these may share a store: each run is done by whoever holds its lease, and one whose scheduler was killed is
/// taken over, exactly where it stands. It never talks to APNs. A failure with one job concerns no other. On graceful
/// shutdown the store's own work is given back at once; a handler is waited for.
package struct JobScheduler: Service {
    let store: any JobStore & StoreSignals
    let scope: JobScope
    let handler: any JobHandler
    let configuration: JobSchedulerConfiguration
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let metrics: JobMetrics
    let logger: Logger

    /// A service that runs jobs as soon as it is run.
    ///
    /// The handler runs the jobs that the store cannot do by itself.
    package init(
        store: any JobStore & StoreSignals,
        scope: JobScope = .builtIn,
        handler: any JobHandler = NoJobHandler(),
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

    /// Runs jobs until the service is shut down or the task is cancelled.
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
