// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Metrics
import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reports what was carried out for Live Activities to swift-metrics, under names that begin with `apus_scheduling_`.
struct ActivityMetrics: Sendable {
    private let done: Counter
    private let skipped: Counter
    private let expired: Counter
    private let lateness: Timer

    init(_ factory: any MetricsFactory) {
        func transitions(_ state: String) -> Counter {
            Counter(label: "apus_scheduling_transitions_total", dimensions: [("state", state)], factory: factory)
        }
        self.done = transitions("done")
        self.skipped = transitions("skipped")
        self.expired = Counter(label: "apus_scheduling_activities_expired_total", factory: factory)
        self.lateness = Timer(label: "apus_scheduling_transition_lateness_seconds", factory: factory)
    }

    /// Counts transitions that came to their end, and how long after their time that is stored.
    func carriedOut(_ report: TransitionReport, at now: Date) {
        for entry in report.entries {
            guard entry.transition.state == .done else {
                self.skipped.increment()
                continue
            }
            self.done.increment()
            guard let dueAt = entry.transition.dueAt else { continue }
            // What was planned for a time that had passed is not late by that.
            let lateness = now.timeIntervalSince(max(dueAt, entry.transition.plannedAt))
            self.lateness.recordNanoseconds(Int64(max(0, lateness) * 1e9))
        }
        self.expired.increment(by: report.expired)
    }
}
