// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import APNsClient
package import Foundation
package import Logging
package import Metrics
package import PushModel
package import PushStore
import ServiceLifecycle
import Work

/// Claims batches, sends them through APNs and settles their outcomes.
///
/// Each lane has its own claim loop, so that urgent batches never wait behind bulk ones. A signal of the store starts a
/// claim at once; a slow poll finds expired leases and batches that other processes accepted. Delivery is at least
/// once: a chunk that was sent but not settled when a process terminates is sent again, with the same `apns-id`s.
///
/// On graceful shutdown, the service claims nothing more, waits for the responses in flight, settles them and releases
/// the rest. Put the client before this service in a group, so that it stops later.
package final class DeliveryService: Service {
    let store: any DeliveryStore
    let client: APNsClient
    let configuration: DeliveryConfiguration
    let resolver: DestinationResolver
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let logger: Logger
    let window: InFlightWindow
    let metrics: DeliveryMetrics
    let pauses = OpenCircuitPublisher()
    let breakers: CircuitBreakers
    let setbacks = BatchFailureCounts()
    let credentials: CredentialHealth
    let halts = StopRequests()
    let directSends = DirectSends()
    let announcements: UncommittedOutcomes

    /// Lets one suspect batch at a time be sent; see `Interruptions`.
    let suspects = SlotPool(count: 1)
    private let urgent: LaneCoordinator
    private let bulk: LaneCoordinator
    private let bulkExecutor: (any TaskExecutor)?

    /// Creates a service that delivers while it runs.
    ///
    /// The client must run. Without `masterKey`, sealed credentials are unusable. The `bulkExecutor` runs the bulk
    /// lane, so that urgent batches do not wait for a thread behind it. `announcements` publishes outcomes before the
    /// store has them, for callers in this process.
    package init(
        store: any DeliveryStore,
        client: APNsClient,
        masterKey: MasterKey?,
        configuration: DeliveryConfiguration = DeliveryConfiguration(),
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        bulkExecutor: (any TaskExecutor)? = nil,
        announcements: UncommittedOutcomes = UncommittedOutcomes(),
        metrics: any MetricsFactory = MetricsSystem.factory,
        logger: Logger
    ) {
        let metrics = DeliveryMetrics(metrics)
        let suspects = self.suspects
        let breakers = CircuitBreakers(
            rule: configuration.breaker,
            notes: self.pauses,
            logger: logger,
            metrics: metrics
        )
        func gate(_ lane: Lane) -> LaneCoordinator {
            LaneCoordinator(
                limit: configuration.batches(in: lane),
                small: configuration.smallBatches(in: lane),
                suspects: suspects,
                standing: { breakers.standing(of: $0, now: now()) },
                standings: { breakers.standings(now: now()) }
            )
        }
        self.store = store
        self.client = client
        self.configuration = configuration
        self.resolver = DestinationResolver(
            credentials: store,
            masterKey: masterKey,
            credentialDirectory: configuration.credentialDirectory,
            endpoints: configuration.endpoints,
            lifetime: configuration.credentialLifetime,
            logger: logger
        )
        self.clock = clock
        self.now = now
        self.logger = logger
        self.bulkExecutor = bulkExecutor
        self.announcements = announcements
        self.credentials = CredentialHealth(store: store, logger: logger)
        self.metrics = metrics
        self.breakers = breakers
        self.window = InFlightWindow(
            capacity: configuration.maxInFlight,
            pace: BulkRateLimiter(rate: configuration.bulkRateLimit),
            clock: clock,
            onChange: { metrics.isInFlight($0) },
            onPause: { metrics.rateLimited($0) }
        )
        self.urgent = gate(.urgent)
        self.bulk = gate(.bulk)
    }

    /// Returns the circuits of an app that this process has used; other processes have circuit breakers of their own.
    package func standings(of app: AppID) -> [CircuitStatus] {
        let now = self.now()
        return self.breakers.lines(of: app)
            .map { CircuitStatus($0.line, $0.breaker, kinds: $0.kinds, now: now) }
            .sorted {
                ($0.environment.rawValue, $0.credential.rawValue) < ($1.environment.rawValue, $1.credential.rawValue)
            }
    }

    package func run() async throws {
        // Subscribe before the first claim, so that no change is missed.
        let lanes = Lane.allCases.map { lane in (lane, self.store.changes { $0 == .batchReady(lane) }) }
        let stops = self.store.changes { if case .halted = $0 { true } else { false } }
        let taker = LaneHandoffConsumer(context: self)
        self.store.beginHandOver(to: taker)
        defer { self.store.endHandOver(to: taker) }
        await withDiscardingTaskGroup { group in
            for (lane, changes) in lanes {
                group.addTask(executorPreference: lane == .bulk ? self.bulkExecutor : nil) {
                    await self.claim(in: lane, on: changes)
                }
            }
            group.addTask { await self.sendHandedOver() }
            group.addTask { await self.settleDirectSends() }
            group.addTask { await self.pauses.run(self) }
            group.addTask { await self.pollForStopRequests() }
            group.addTask {
                await cancelWhenGracefulShutdown {
                    for await change in stops {
                        if case .halted(let notification) = change { self.halts.halt(notification) }
                    }
                }
            }
        }
    }

    func gate(of lane: Lane) -> LaneCoordinator { lane == .urgent ? self.urgent : self.bulk }

    // MARK: Claims

    /// Claims the batches of a lane, and sends a limited number of them at the same time.
    private func claim(in lane: Lane, on changes: AsyncStream<StoreChange>) async {
        let loop = ClaimLoop(
            kind: "\(lane) batches",
            capacity: LaneCapacity(gate: self.gate(of: lane), context: self),
            pollInterval: self.configuration.pollInterval,
            clock: self.clock,
            now: self.now,
            logger: self.logger
        ) { room in
            do {
                try await self.releaseOrphans(in: lane)
                let began = ContinuousClock.now
                let claim = try await self.store.claim(
                    lane: lane,
                    room: room,
                    worker: self.configuration.worker,
                    leaseDuration: self.configuration.leaseDuration,
                    now: self.now()
                )
                self.metrics.claimed(claim, in: lane, took: ContinuousClock.now - began, at: self.now())
                if claim.mayBeIncomplete { self.gate(of: lane).expectOrphans() }
                return Claimed(claim.batches)
            } catch {
                self.gate(of: lane).expectOrphans()
                throw error
            }
        } process: { claimed, _ in
            await self.send(claimed)
        }
        await loop.run(on: changes, waitForPoll: { try await self.waitForPoll(of: lane) })
    }

    /// Releases the batches of a lane that the store leases to this process and that it does not process.
    ///
    /// There are some after the store stored a change whose response was lost, or failed to store a release. They need
    /// not wait until their leases expire. No claim of the lane may run meanwhile.
    private func releaseOrphans(in lane: Lane) async throws {
        let gate = self.gate(of: lane)
        guard gate.takeOrphanSearch() else { return }
        // A batch that is handed off after this read is not in it; one that was handed off before is running.
        let worker = self.configuration.worker
        for batch in try await self.store.leasedBatches(in: lane, to: worker, now: self.now())
        where !gate.isRunning(batch) {
            do {
                let cancelled = try await self.store.release(batch, worker: worker, now: self.now())
                self.metrics.count(OutcomeCounts(failed: [.cancelled: cancelled]))
                let metadata: Logger.Metadata = ["batch.id": "\(batch)"]
                self.logger.notice("Released a batch that was leased without a result", metadata: metadata)
            } catch let error as StoreError where !error.isTransient {
                // Its row is corrupt. The others must not wait for it; a claim deals with it after its lease.
                self.logger.warning(
                    "Failed to release a batch; waiting until its lease expires",
                    metadata: ["batch.id": "\(batch)", "error": "\(error)"]
                )
            }
        }
    }

    /// Waits until the next poll of a lane, or until its next batch is due if that is earlier.
    private func waitForPoll(of lane: Lane) async throws {
        var delay = self.configuration.pollInterval
        let now = self.now()
        if let next = try? await self.store.nextClaim(in: lane, after: now) {
            delay = min(delay, max(.milliseconds(1), .wait(until: next, from: now)))
        }
        try await self.clock.sleep(for: delay)
        // Both lanes share the credentials, so only one of them rechecks these.
        if lane == .urgent { await self.revisitCredentials() }
    }

    /// Sends the batches that the store handed off when this process accepted them, and that are not sent directly.
    private func sendHandedOver() async {
        await withDiscardingTaskGroup { group in
            for await batches in self.urgent.handedOver {
                for batch in batches { group.addTask { await self.send(batch) } }
            }
        }
    }

    private func send(_ claimed: ClaimedBatch) async {
        await BatchProcessor(claimed: claimed, context: self).run()
        await self.ended([claimed], in: claimed.batch.lane)
    }

    /// Frees the capacity of batches.
    ///
    /// Only after their release: a claim before it found the batch running, and is released here.
    func ended(_ batches: [ClaimedBatch], in lane: Lane) async {
        for claimed in self.gate(of: lane).finish(batches) {
            do {
                try await self.release(claimed)
            } catch {
                self.gate(of: lane).expectOrphans()
                self.logger.warning(
                    "Failed to release a batch; trying again",
                    metadata: ["batch.id": "\(claimed.batch.id)", "error": "\(error)"]
                )
            }
        }
    }

    /// Releases a batch, so that any worker can claim it.
    func release(_ claimed: ClaimedBatch) async throws {
        let calledOff = try await self.store.release(claimed.batch.id, worker: claimed.worker, now: self.now())
        self.metrics.count(OutcomeCounts(failed: [.cancelled: calledOff]))
    }

    /// Lets every lane claim, because more can be sent than before.
    func wake() {
        for lane in Lane.allCases { self.gate(of: lane).signal() }
    }

    /// Checks whether a credential that APNs rejected was replaced, and then sends the waiting targets at once.
    ///
    /// If its replacement is missing or cannot be read, one can still be added. So the circuit stays as it is until the
    /// next check.
    private func revisitCredentials() async {
        for (kind, refused) in self.breakers.refusedLines {
            guard let routes = try? await BatchRoutes.find(kind, by: self.resolver, isFresh: true) else { continue }
            let missing = Set(routes.legs.filter { $0.failure != nil }.map(\.environment))
            let kept = refused.filter { missing.contains($0.environment) }
            if self.breakers.learn(kind, routes.lines.union(kept)) { self.wake() }
        }
    }
}

/// The store of delivery: the queue, credentials and their failures, open circuits, and signals of changes.
package typealias DeliveryStore = BatchQueue & CredentialStore & CredentialFailureStore & OpenCircuitStore
    & StoreChangeSource
