// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import WallTime

/// The occurrences of a pattern while the clocks of a zone run on without being set.
struct StretchOccurrences {
    let pattern: WallPattern
    let stretch: ClockStretch
    let policy: ClockChangePolicy

    /// The first that is at `instant` or later.
    func first(from instant: Int64) -> Int64? {
        guard instant < self.stretch.end else { return nil }
        if self.startStandsForSkipped, instant <= self.stretch.start { return self.stretch.start }
        let shown = self.pattern.first(from: max(self.wallStart, instant + self.stretch.offset))
        return shown < self.stretch.wallEnd ? shown - self.stretch.offset : nil
    }

    /// The last that is at `instant` or earlier.
    func last(through instant: Int64) -> Int64? {
        guard instant >= self.stretch.start else { return nil }
        let shown = self.pattern.last(through: min(instant, self.stretch.end - 1) + self.stretch.offset)
        if shown >= self.wallStart { return shown - self.stretch.offset }
        return self.startStandsForSkipped ? self.stretch.start : nil
    }

    /// How many there are in a range of instants.
    func count(in instants: Range<Int64>) -> Int {
        let start = max(self.wallStart, instants.lowerBound + self.stretch.offset)
        let end = min(self.stretch.end, instants.upperBound) + self.stretch.offset
        let shown = start < end ? self.pattern.count(in: start..<end) : 0
        let isExtra = self.startStandsForSkipped && self.pattern.first(from: self.wallStart) != self.wallStart
        return isExtra && instants.contains(self.stretch.start) ? shown + 1 : shown
    }

    /// The first time on the wall that counts.
    private var wallStart: Int64 {
        switch self.policy.repeated {
        case .once: self.stretch.wallStartOfNew
        case .twice: self.stretch.wallStart
        }
    }

    /// Whether the beginning of the stretch is an occurrence for times that clocks skipped.
    private var startStandsForSkipped: Bool {
        guard self.policy.skipped == .afterwards, let skipped = self.stretch.skipped else { return false }
        return self.pattern.first(from: skipped.lowerBound) < skipped.upperBound
    }
}
