// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushModel
public import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What rollouts need of a store: how far they have come, the devices of audiences with their tokens, what is on its way to
/// these, and word of changes.
public typealias RolloutPlanningStore = ActivityStore & AudienceStore & BatchStore & RolloutStore & StoreSignals

/// What every rollout is gone on with by.
struct RolloutContext: LeaseContext {
    let store: any RolloutPlanningStore
    let configuration: SchedulingConfiguration
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let logger: Logger
    let metrics: RolloutMetrics
}
