// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// How far the clock of this machine is from the server's.
///
/// Leases are times of whoever took them: a machine whose clock is fast takes batches from those who are sending them. All
/// machines are compared with the one clock that they share.
struct ClockSkew: Hashable, Sendable {
    enum Verdict: Hashable, Sendable {
        case sound
        case worthAWarning
        case tooLarge
    }

    /// From where on it is told of.
    static let noticed = 2.0

    /// From where on a connection is refused: leases are extended when a third of them has passed.
    static let refused = 10.0

    /// By how many seconds, at least, this machine is ahead of the server; less than 0 when it is behind.
    let seconds: Double

    /// Compares clocks: the server told its time between `before` and `after`, which are this machine's.
    init(server: Date, before: Date, after: Date) {
        if server < before {
            self.seconds = before.timeIntervalSince(server)
        } else {
            self.seconds = min(0, after.timeIntervalSince(server))
        }
    }

    var verdict: Verdict {
        switch self.seconds.magnitude {
        case ...Self.noticed: .sound
        case ...Self.refused: .worthAWarning
        default: .tooLarge
        }
    }

    /// What is wrong, and how to mend it.
    var message: String {
        let size = (self.seconds.magnitude * 10).rounded() / 10
        return "the clock of this machine is \(size) seconds \(self.seconds < 0 ? "behind" : "ahead of") the server's, "
            // Cannot trap: it is a constant.
            + "and \(Int(Self.refused)) are the most with which leases hold; let NTP set both"
    }
}
