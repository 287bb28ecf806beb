// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Metrics
import Synchronization

/// Observations, counted in fixed buckets.
///
/// One uncontended lock for each call: record what belongs together at once.
public final class Histogram: TimerHandler, RecorderHandler {
    struct State {
        /// How many observations each bucket has, not those of smaller ones; the last is for what fits in none.
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

    /// Counts observations of one value.
    ///
    /// - Parameters:
    ///   - value: the value, in the unit of the metric's name; one that is no number is not counted.
    ///   - count: how often it was observed.
    public func record(_ value: Double, count: Int) {
        guard count > 0, value.isFinite else { return }
        let bucket = self.bounds.firstIndex { value <= $0 } ?? self.bounds.count
        self.state.withLock { state in
            state.counts[bucket] += count
            state.sum += value * Double(count)
        }
    }

    /// Counts one value.
    public func record(_ value: Int64) { self.record(Double(value), count: 1) }

    /// Counts one value.
    public func record(_ value: Double) { self.record(value, count: 1) }

    /// Counts a duration, in seconds.
    public func recordNanoseconds(_ duration: Int64) { self.record(Double(duration) / 1_000_000_000, count: 1) }
}
