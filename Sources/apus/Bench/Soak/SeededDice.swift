// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A generator that draws the same numbers from the same seed, so that a run can be repeated.
///
/// Not for secrets. Java's `SplittableRandom` draws as it does.
struct SeededDice: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// - Parameters:
    ///   - seed: what the whole run starts from.
    ///   - use: what these numbers are for, so that each use has numbers of its own.
    init(seed: UInt64, use: String) {
        // FNV-1a: the same on every machine, which `Hasher` is not.
        self.state = use.utf8.reduce(seed ^ 0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    mutating func next() -> UInt64 {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
