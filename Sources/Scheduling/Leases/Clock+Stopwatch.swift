// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension Clock where Duration == Swift.Duration {
    /// Begins to measure by this clock.
    ///
    /// - Returns: tells how much time has gone by since then.
    func stopwatch() -> @Sendable () -> Duration {
        let start = self.now
        return { start.duration(to: self.now) }
    }
}
