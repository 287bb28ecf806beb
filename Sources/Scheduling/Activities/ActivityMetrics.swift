// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Metrics
import PushModel
import PushStore

/// Records metrics of scheduled work on Live Activities, whose names begin with `apus_scheduling_`.
struct ActivityMetrics: Sendable {
    /// Whether transitions were prepared before they were due, or read when they were due.
    enum Way: String, CaseIterable { case prepared, found }

    private let done: Counter
    private let skipped: Counter
    private let expired: Counter
    private let lateness: Timer
    private let prepared: Counter
    private let ways: [Way: Counter]
    private let activitiesAside: Counter
    private let transitionsAside: Counter

    init(_ factory: any MetricsFactory) {
        func counter(_ name: String, _ dimensions: (String, String)...) -> Counter {
            Counter(label: "apus_scheduling_\(name)_total", dimensions: dimensions, factory: factory)
        }
        self.done = counter("transitions", ("state", "done"))
        self.skipped = counter("transitions", ("state", "skipped"))
        self.expired = counter("activities_expired")
        self.lateness = Timer(label: "apus_scheduling_transition_lateness_seconds", factory: factory)
        self.prepared = counter("transitions_prepared")
        let ways = Way.allCases.map { ($0, counter("transitions_carried_out", ("way", $0.rawValue))) }
        self.ways = Dictionary(uniqueKeysWithValues: ways)
        self.activitiesAside = counter("set_aside", ("kind", "activity"))
        self.transitionsAside = counter("set_aside", ("kind", "transition"))
    }

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
