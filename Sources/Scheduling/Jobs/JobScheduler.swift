// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import Logging
public import Metrics
public import PushModel
public import PushStore
public import ServiceLifecycle

/// Runs jobs when they are due.
///
/// Any number of these may share a store: each run is done by whoever holds its lease, and one whose scheduler was killed is
/// taken over, exactly where it stands. It never talks to APNs. A failure with one job concerns no other. On graceful
/// shutdown the store's own work is given back at once; a handler is waited for.
public struct JobScheduler: Service {
    /// How soon is looked again for what is due, and could not be had.
    private static let shortestWait: Duration = .milliseconds(20)

    private let context: JobSchedulerContext

    /// A service that runs jobs as soon as it is run.
    ///
    /// The handler runs the jobs that the store cannot do by itself.
    public init(
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
    public func run() async throws {
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
                    let wait = max(Self.shortestWait, .seconds(next.timeIntervalSince(now)))
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

/// How jobs are run: how many at once, and how long is waited.
public struct JobSchedulerConfiguration: Hashable, Sendable {
    /// The name under which this process leases runs; unique among all that share a store.
    ///
    /// Default: a new one for every process start.
    public var worker: WorkerID

    /// How many runs go on at once.
    ///
    /// Range: 1...1000. Default: 32. Others wait until one of these has ended.
    public var concurrency = 32

    /// How long a run is leased; it is extended with every step, and three times within that in between.
    ///
    /// Default: 15 seconds. A run whose scheduler was killed is taken over after at most that long. Keep it well above the
    /// difference of the clocks of those who share a store.
    public var leaseDuration: Duration = .seconds(15)

    /// How often the store is asked for what no signal told of, as of other processes.
    ///
    /// Default: 1 second.
    public var pollInterval: Duration = .seconds(1)

    /// The documented defaults.
    public init(worker: WorkerID = JobSchedulerConfiguration.uniqueWorker()) {
        self.worker = worker
    }

    /// A worker's name that no other process has: `jobs-` and 16 random hexadecimal digits.
    public static func uniqueWorker() -> WorkerID {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return WorkerID(unchecked: "jobs-" + String(repeating: "0", count: 16 - digits.count) + digits)
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

/// Reports to swift-metrics, under names that begin with `apus_jobs_`.
struct JobMetrics: Sendable {
    private let factory: any MetricsFactory

    init(_ factory: any MetricsFactory) {
        self.factory = factory
    }

    /// A run has begun, so long after its time.
    func began(_ run: JobRun, of kind: JobWork.Kind) {
        guard run.attempt == 1, let startedAt = run.startedAt else { return }
        let delay = max(0, startedAt.timeIntervalSince(run.dueAt))
        Timer(label: "apus_jobs_delay_seconds", dimensions: [("kind", kind.rawValue)], factory: self.factory)
            .recordNanoseconds(Int64(min(delay, 1e9) * 1e9))
    }

    /// An attempt at a run has come to its end.
    func ended(_ run: JobRun, of kind: JobWork.Kind) {
        let kind = ("kind", kind.rawValue)
        let result = ("result", run.state.isFinal ? run.state.rawValue : "retried")
        Counter(label: "apus_jobs_runs_total", dimensions: [kind, result], factory: self.factory).increment()
        guard run.processed > 0 else { return }
        Counter(label: "apus_jobs_processed_total", dimensions: [kind], factory: self.factory)
            .increment(by: run.processed)
    }
}
