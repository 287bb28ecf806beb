// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What every part of scheduling works with.
struct SchedulingContext: LeaseContext {
    let store: any SchedulingStore
    let configuration: SchedulingConfiguration
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let logger: Logger
    let metrics: SchedulingMetrics
    let wakes = PlanningWakes()

    /// Whose audience is counted; others wait for that.
    let counts: RunPlaces

    init(
        store: any SchedulingStore,
        configuration: SchedulingConfiguration,
        clock: any Clock<Duration>,
        now: @escaping @Sendable () -> Date,
        logger: Logger,
        metrics: SchedulingMetrics
    ) {
        self.store = store
        self.configuration = configuration
        self.clock = clock
        self.now = now
        self.logger = logger
        self.metrics = metrics
        self.counts = RunPlaces(count: configuration.campaigns)
    }
}
