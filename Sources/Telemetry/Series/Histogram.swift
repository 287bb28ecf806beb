// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Metrics
import Synchronization

/// Observations, counted in fixed buckets.
///
/// Each call takes one uncontended lock, so record related observations in one call.
package final class Histogram: TimerHandler, RecorderHandler {
    struct State {
        /// The number of observations in each bucket, without those of smaller ones; the last one is beyond all bounds.
        var counts: [Int]
        var sum = 0.0
    }

    let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        self.state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    var snapshot: State { self.state.withLock { $0 } }

    /// Counts observations of one value, in the unit of the metric's name.
    ///
    /// It does not count a value that is not finite.
    package func record(_ value: Double, count: Int) {
        guard count > 0, value.isFinite else { return }
        let bucket = self.bounds.firstIndex { value <= $0 } ?? self.bounds.count
        self.state.withLock { state in
            state.counts[bucket] += count
            state.sum += value * Double(count)
        }
    }

    package func record(_ value: Int64) { self.record(Double(value), count: 1) }

    package func record(_ value: Double) { self.record(value, count: 1) }

    /// Counts a duration, in seconds.
    package func recordNanoseconds(_ duration: Int64) { self.record(Double(duration) / 1_000_000_000, count: 1) }
}

/// The upper bounds of a histogram's buckets.
///
/// They are fixed for each unit, which the name of a metric ends in, so that histograms can be added up and compared.
enum HistogramBuckets {
    /// Half a millisecond to two hours.
    static let seconds: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200,
    ]

    /// 64 bytes to 64 MiB.
    static let bytes: [Double] = (0...10).map { Double(64 << (2 * $0)) }

    /// One to a million.
    static let counts: [Double] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000]

    static func bounds(for name: String) -> [Double] {
        if name.hasSuffix("_seconds") { return self.seconds }
        return name.hasSuffix("_bytes") ? self.bytes : self.counts
    }
}
