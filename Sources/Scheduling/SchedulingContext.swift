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
}
