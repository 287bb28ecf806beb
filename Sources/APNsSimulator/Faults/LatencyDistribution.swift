// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A distribution of delays, drawn for each event.
///
/// Unit: milliseconds. A drawn value is never negative.
public enum LatencyDistribution: Sendable, Hashable {
    /// Always the same.
    case constant(Double)
    /// Anything of the range, equally likely.
    case uniform(ClosedRange<Double>)
    /// A normal distribution; below zero counts as zero.
    case normal(mean: Double, deviation: Double)
    /// An exponential distribution.
    case exponential(mean: Double)
    /// Linear between percentiles, which are sorted by their share of 0...100; 0 ms at the share 0 unless it is named.
    case percentiles([Percentile])

    /// One point of a distribution: a share of the delays is at most this long.
    public struct Percentile: Sendable, Hashable {
        /// Range: 0...100.
        public var share: Double
        /// Unit: milliseconds.
        public var milliseconds: Double

        /// A point of a distribution.
        public init(_ share: Double, _ milliseconds: Double) {
            self.share = share
            self.milliseconds = milliseconds
        }
    }

    /// Draws one.
    ///
    /// Takes two numbers from the dice at most, so that the same seed draws the same.
    func draw(using dice: inout SplitMix64) -> Duration {
        let milliseconds: Double
        switch self {
        case .constant(let value): milliseconds = value
        case .uniform(let range): milliseconds = Double.random(in: range, using: &dice)
        case .normal(let mean, let deviation):
            // Box and Muller.
            let first = 1 - Double.random(in: 0..<1, using: &dice)
            let second = Double.random(in: 0..<1, using: &dice)
            milliseconds = mean + deviation * (-2 * log(first)).squareRoot() * cos(2 * .pi * second)
        case .exponential(let mean): milliseconds = -mean * log(1 - Double.random(in: 0..<1, using: &dice))
        case .percentiles(let points): milliseconds = Self.value(at: .random(in: 0..<100, using: &dice), of: points)
        }
        // Cannot trap: `max` and `min` limit the value to 0 to one day, also if it is NaN.
        return .nanoseconds(Int64(min(max(0, milliseconds), 86_400_000) * 1e6))
    }

    private static func value(at share: Double, of points: [Percentile]) -> Double {
        var below = Percentile(0, 0)
        for point in points {
            if share <= point.share {
                guard point.share > below.share else { return point.milliseconds }
                let part = (share - below.share) / (point.share - below.share)
                return below.milliseconds + part * (point.milliseconds - below.milliseconds)
            }
            below = point
        }
        return below.milliseconds
    }
}

/// A fast generator that starts from a seed, so that a run can be repeated.
///
/// Not for secrets.
///
/// The algorithm of Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
struct SplitMix64: RandomNumberGenerator, Sendable, Hashable {
    private var state: UInt64

    init(seed: UInt64) {
        self.state = seed
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
