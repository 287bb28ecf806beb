// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension Collection<Double> {
    /// The middle value, or the mean of the two in the middle; 0 for none.
    var median: Double {
        let sorted = self.sorted()
        guard !sorted.isEmpty else { return 0 }
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

extension Double {
    /// The value rounded to a number of decimal places.
    func rounded(toPlaces places: Int) -> Double {
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        return (self * scale).rounded() / scale
    }
}

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
