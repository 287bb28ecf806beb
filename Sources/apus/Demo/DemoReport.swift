// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What came of a demo, from what the devices hold and what the server has learned.
struct DemoReport: Encodable, Sendable {
    /// How many notifications the devices hold that are, part for part, what was sent.
    var delivered = 0

    /// How many they have to hold.
    var expected = 0

    /// How many devices the server has marked invalid.
    var pruned = 0

    /// How many it has to mark.
    var expectedPruned = 0

    /// From the start of the first process to the last check.
    var seconds: Double = 0

    /// From each call of the API to its answer with all outcomes, in milliseconds.
    var pushMilliseconds: [Double] = []

    /// Whether everything came as it had to.
    var isGood: Bool { self.delivered == self.expected && self.pruned == self.expectedPruned }
}
