// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Metrics
import Synchronization

/// A number that only ever grows; counting is one atomic addition.
final class CounterSeries: CounterHandler {
    private let count = Atomic<Int64>(0)

    var value: Int64 { self.count.load(ordering: .relaxed) }

    func increment(by amount: Int64) {
        self.count.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() {
        self.count.store(0, ordering: .relaxed)
    }
}
