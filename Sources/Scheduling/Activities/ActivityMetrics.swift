// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Logging
import Metrics
import PushModel
import PushStore
import ServiceLifecycle
import Synchronization

/// Records metrics of scheduled work on Live Activities, whose names begin with `apus_scheduling_`.
struct ActivityMetrics: Sendable {
    /// How transitions are executed.
    enum Way: String, CaseIterable {
        /// They were prepared before they were due.
        case prepared

        /// They were read when they were due.
        case found
    }

    private let done: Counter
    private let skipped: Counter
    private let expired: Counter
    private let lateness: Timer
    private let prepared: Counter
    private let ways: [Way: Counter]
    private let activitiesAside: Counter
    private let transitionsAside: Counter

    init(_ factory: any MetricsFactory) {
        func transitions(_ state: String) -> Counter {
            Counter(label: "apus_scheduling_transitions_total", dimensions: [("state", state)], factory: factory)
        }
        self.done = transitions("done")
        self.skipped = transitions("skipped")
        self.expired = Counter(label: "apus_scheduling_activities_expired_total", factory: factory)
        self.lateness = Timer(label: "apus_scheduling_transition_lateness_seconds", factory: factory)
        self.prepared = Counter(label: "apus_scheduling_transitions_prepared_total", factory: factory)
        let ways = Way.allCases.map { way in
            let label = "apus_scheduling_transitions_carried_out_total"
            return (way, Counter(label: label, dimensions: [("way", way.rawValue)], factory: factory))
        }
        self.ways = Dictionary(uniqueKeysWithValues: ways)
        func aside(_ kind: String) -> Counter {
            Counter(label: "apus_scheduling_set_aside_total", dimensions: [("kind", kind)], factory: factory)
        }
        self.activitiesAside = aside("activity")
        self.transitionsAside = aside("transition")
    }

    /// Counts prepared transitions.
    func count(prepared count: Int) { self.prepared.increment(by: count) }

    /// Counts executed transitions and expired activities, and records the lateness of the transitions.
    func carriedOut(_ report: TransitionReport, _ way: Way, at now: Date) {
        self.activitiesAside.increment(by: report.setAside)
        for entry in report.entries {
            guard entry.transition.state == .done else {
                self.skipped.increment()
                if !entry.transition.isReadable { self.transitionsAside.increment() }
                continue
            }
            self.done.increment()
            self.ways[way]?.increment()
            guard let dueAt = entry.transition.dueAt else { continue }
            // A transition that was scheduled for a past time is late only from its creation on.
            let lateness = now.timeIntervalSince(max(dueAt, entry.transition.plannedAt))
            self.lateness.recordSeconds(max(0, lateness))
        }
        self.expired.increment(by: report.expired)
    }
}
