// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import Foundation
import Logging
import PushModel
import PushStore

/// What every part of delivery works with.
struct DeliveryContext: Sendable {
    let store: any DeliveryStore
    let client: APNsClient
    let configuration: DeliveryConfiguration
    let resolver: DestinationResolver
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let logger: Logger
    let window: SendWindow
    let gates: LaneGates
    let metrics: DeliveryMetrics
    let pauses = PauseNotes()
    let breakers: Breakers
    let setbacks = Setbacks()
    let credentials: CredentialHealth
    let halts = Halts()
    let announcements: Announcements

    init(
        store: any DeliveryStore,
        client: APNsClient,
        configuration: DeliveryConfiguration,
        resolver: DestinationResolver,
        clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Date,
        logger: Logger,
        announcements: Announcements,
        metrics: DeliveryMetrics
    ) {
        self.store = store
        self.client = client
        self.configuration = configuration
        self.resolver = resolver
        self.clock = clock
        self.now = now
        self.logger = logger
        self.announcements = announcements
        self.credentials = CredentialHealth(store: store, logger: logger)
        self.metrics = metrics
        self.breakers = Breakers(
            rule: BreakerRule(configuration),
            notes: self.pauses,
            logger: logger,
            metrics: metrics
        )
        self.window = SendWindow(
            capacity: configuration.window,
            pace: BulkPace(rate: configuration.bulkBesideUrgent),
            clock: clock,
            onChange: { metrics.isInFlight($0) },
            onPause: { metrics.heldBack($0) }
        )
        self.gates = LaneGates(configuration)
    }

    /// More may be sent than before: lets every lane claim.
    func wake() {
        for lane in Lane.allCases { self.gates[lane].signal() }
    }

    /// Looks whether a credential that APNs refused was replaced; then what waits for it is tried at once.
    ///
    /// Where there is none in its place, or none that can be read, one may be about to come: the line stays as it is, and is
    /// looked at again.
    func revisitCredentials() async {
        for (kind, refused) in self.breakers.refusedLines {
            guard let routes = try? await BatchRoutes.find(kind, by: self.resolver, isFresh: true) else { continue }
            let missing = Set(routes.legs.filter { $0.failure != nil }.map(\.environment))
            let kept = refused.filter { missing.contains($0.environment) }
            if self.breakers.learn(kind, routes.lines.union(kept)) { self.wake() }
        }
    }

    /// Gives a batch back so that any worker may claim it; a failure leaves it to the end of its lease.
    func release(_ batch: BatchID) async {
        do {
            let calledOff = try await self.store.release(batch, worker: self.configuration.worker, now: self.now())
            self.metrics.count(OutcomeCounts(failed: [.cancelled: calledOff]))
        } catch {
            self.logger.warning(
                "A batch could not be released; it is claimed again when its lease lapses",
                metadata: ["batch.id": "\(batch)", "error": "\(error)"]
            )
        }
    }
}
