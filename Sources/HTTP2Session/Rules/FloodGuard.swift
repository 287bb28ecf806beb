// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore

/// A token bucket over the frames that cost a peer little and us much.
///
/// A rapid reset, a flood of SETTINGS or of PING is a series of frames that no honest peer sends at
/// that rate. Every finished request gives one frame back, so that a busy honest peer is never refused.
struct FloodGuard {
    private let burst: Double
    private let perSecond: Double
    private var allowance: Double
    private var refilled: NIODeadline?

    init(limits: HTTP2Limits) {
        self.burst = Double(limits.controlFrameBurst)
        self.perSecond = Double(limits.controlFramesPerSecond)
        self.allowance = self.burst
    }

    /// Takes note of one control frame.
    ///
    /// Returns `false` when the peer has used up its allowance.
    mutating func admitControlFrame(now: NIODeadline) -> Bool {
        if let refilled = self.refilled {
            let seconds = Double((now - refilled).nanoseconds) / 1e9
            self.allowance = min(self.burst, self.allowance + max(0, seconds) * self.perSecond)
        }
        self.refilled = now
        self.allowance -= 1
        return self.allowance >= 0
    }

    /// Gives one frame back for a request that was finished as it should be.
    mutating func requestFinished() {
        self.allowance = min(self.burst, self.allowance + 1)
    }
}
