// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The upper bounds of a histogram's buckets.
///
/// They are fixed for each unit, which the name of a metric ends in, so that histograms can be added up and compared.
enum Buckets {
    /// Half a millisecond to two hours.
    static let seconds: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200,
    ]

    /// 64 bytes to 64 MiB.
    static let bytes: [Double] = (0...10).map { Double(64 << (2 * $0)) }

    /// One to a million.
    static let counts: [Double] = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000]

    /// The bounds for a metric of that name.
    static func bounds(for name: String) -> [Double] {
        if name.hasSuffix("_seconds") { return self.seconds }
        return name.hasSuffix("_bytes") ? self.bytes : self.counts
    }
}
