// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import APNsSimulator

@Suite("Latency distributions")
struct LatencyDistributionTests {
    private static func draws(_ distribution: LatencyDistribution, seed: UInt64 = 1) -> [Double] {
        var dice = SplitMix64(seed: seed)
        return (0..<20_000).map { _ in distribution.draw(using: &dice) / .milliseconds(1) }
    }

    static let all: [LatencyDistribution] = [
        .constant(20), .uniform(10...30), .normal(mean: 100, deviation: 10), .exponential(mean: 50),
        .percentiles([.init(50, 10), .init(90, 40), .init(99, 200), .init(100, 1000)]),
    ]

    @Test("the same seed draws the same", arguments: Self.all)
    func seeds(distribution: LatencyDistribution) {
        #expect(Self.draws(distribution) == Self.draws(distribution))
    }

    @Test(
        "the mean is what the distribution says",
        arguments: [
            (.constant(20), 20), (.uniform(10...30), 20), (.normal(mean: 100, deviation: 10), 100),
            (.exponential(mean: 50), 50),
        ] as [(LatencyDistribution, Double)]
    )
    func mean(distribution: LatencyDistribution, expected: Double) {
        let draws = Self.draws(distribution)
        let mean = draws.reduce(0, +) / Double(draws.count)
        #expect(abs(mean - expected) < expected * 0.05)
    }

    @Test("percentiles are met", arguments: [(50, 10), (90, 40), (99, 200)] as [(Double, Double)])
    func percentiles(share: Double, milliseconds: Double) {
        let draws = Self.draws(Self.all[4])
        let below = Double(draws.count { $0 <= milliseconds }) / Double(draws.count) * 100
        #expect(abs(below - share) < 1.5)
        #expect(draws.allSatisfy { (0...1000).contains($0) })
    }

    @Test("nothing takes less than no time")
    func neverNegative() {
        #expect(Self.draws(.normal(mean: 1, deviation: 100)).allSatisfy { $0 >= 0 })
    }
}
