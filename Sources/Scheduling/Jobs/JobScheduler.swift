// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
package import Logging
package import Metrics
import PushModel
package import PushStore
import ServiceLifecycle

/// Runs jobs when they are due.
///
/// Any number of these may share a store: each run is done by whoever holds its lease, and one whose scheduler was killed is
/// taken over, exactly where it stands. It never talks to APNs. A failure with one job concerns no other. On graceful
/// shutdown the store's own work is given back at once; a handler is waited for.
package struct JobScheduler: Service {
    /// How soon is looked again for what is due, and could not be had.
    private static let shortestWait: Duration = .milliseconds(20)

    private let context: JobSchedulerContext

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
        self.context = JobSchedulerContext(
            store: store,
            scope: scope,
            handler: handler,
            configuration: configuration,
            clock: clock,
            now: now,
            metrics: JobMetrics(metrics),
            logger: logger
        )
    }

    /// Runs jobs until the service is shut down or the task is cancelled.
    package func run() async throws {
        let context = self.context
        let slots = RunSlots(count: context.configuration.concurrency)
        // Subscribed before the first claim, so that nothing is missed between the two.
        let changes = context.store.changes { $0 == .jobsDue }
        await withDiscardingTaskGroup { group in
            group.addTask {
                await cancelWhenGracefulShutdown {
                    for await _ in changes { slots.signal() }
                }
            }
            group.addTask {
                try? await cancelWhenGracefulShutdown {
                    while true {
                        try await context.clock.sleep(for: context.configuration.pollInterval)
                        slots.signal()
                    }
                }
            }
            await withTaskCancellationOrGracefulShutdownHandler {
                var alarm = Date.distantPast
                for await _ in slots.wakeups {
                    let (claim, next) = await context.claim(slots.free)
                    for claimed in claim.runs {
                        slots.take()
                        group.addTask {
                            await JobTurn(claimed: claimed, context: context).run()
                            slots.giveBack()
                        }
                    }
                    if claim.hasMore, slots.free > 0 || claim.runs.isEmpty {
                        slots.signal()
                        continue
                    }
                    // Farther times are found by the poll; of one that is near there is one alarm.
                    let now = context.now()
                    guard let next, slots.free > 0, !(alarm > now && alarm <= next) else { continue }
                    let wait = max(Self.shortestWait, .wait(until: next, from: now))
                    guard wait < context.configuration.pollInterval else { continue }
                    alarm = now.addingTimeInterval(wait / .seconds(1))
                    group.addTask {
                        try? await cancelWhenGracefulShutdown {
                            try await context.clock.sleep(for: wait)
                            slots.signal()
                        }
                    }
                }
            } onCancelOrGracefulShutdown: {
                slots.close()
            }
        }
    }
}

/// What every turn works with.
struct JobSchedulerContext: Sendable {
    let store: any JobStore & StoreSignals
    let scope: JobScope
    let handler: any JobHandler
    let configuration: JobSchedulerConfiguration
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let metrics: JobMetrics
    let logger: Logger

    /// Makes the runs that are due, and leases some.
    ///
    /// - Returns: what was leased, and when there is next something to do as far as that is known.
    func claim(_ limit: Int) async -> (claim: JobClaim, next: Date?) {
        do {
            let claim = try await self.store.claimJobRuns(
                of: self.scope,
                limit: max(0, limit),
                worker: self.configuration.worker,
                leaseDuration: self.configuration.leaseDuration,
                now: self.now()
            )
            return (claim, try await self.store.nextJobTime(of: self.scope))
        } catch {
            // The next signal or poll tries again.
            self.logger.error("No runs of jobs can be claimed", metadata: ["error": "\(error)"])
            return (JobClaim(), nil)
        }
    }
}
