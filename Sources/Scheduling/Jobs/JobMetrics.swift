// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Metrics
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
