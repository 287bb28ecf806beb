// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The turns of a throttled campaign or rollout: the devices of one turn are due at the same time, as one shard.
///
/// A slow rate has long turns, so that the number of batches follows from the number of devices.
enum ThrottleTurn {
    /// The most devices of a turn, unless the shortest turn has more.
    private static let maximumDevices = 1000.0

    /// Turns that are longer than the shortest one, in tenths of a second, the longest first.
    ///
    /// Each divides 10 seconds. So no 10 seconds have more whole turns than the rate allows.
    private static let longTurns = [100, 50, 20, 10, 5, 2]

    /// Returns the length of a turn, from 0.1 to 10 seconds: the longest one that has at most 1,000 devices.
    static func length(perSecond rate: Double) -> Duration {
        let tenths = self.longTurns.first { rate * Double($0) <= 10 * self.maximumDevices } ?? 1
        return .milliseconds(100 * tenths)
    }

    /// Returns how many devices a turn has; at least one.
    static func devices(perSecond rate: Double, turn: Duration?) -> Int {
        max(1, Int(clamping: rate * ((turn ?? self.length(perSecond: rate)) / .seconds(1))))
    }
}
