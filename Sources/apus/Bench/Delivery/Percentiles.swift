// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The times of many exchanges.
struct Percentiles: Sendable {
    private let sorted: [Double]

    init(_ values: [Double]) {
        self.sorted = values.sorted()
    }

    var count: Int { self.sorted.count }

    /// The value that this share of all does not exceed.
    ///
    /// Range: 0...1. 0 when there are no values.
    func value(at share: Double) -> Double {
        guard !self.sorted.isEmpty else { return 0 }
        let place = (Double(self.sorted.count) * share).rounded(.up)
        return self.sorted[min(self.sorted.count - 1, max(0, Int(place) - 1))]
    }
}
