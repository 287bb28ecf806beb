// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A time in which the clocks of a zone run on without being set.
///
/// Times on the wall, like instants, are seconds since 1970: a clock shows `wall` when one that shows UTC would show it at
/// the instant `wall`.
package struct ClockStretch: Hashable, Sendable {
    /// What ``end`` is when clocks are never set again; far beyond every date, and small enough to reckon with.
    package static let never: Int64 = 1 << 52

    /// The instant at which it begins: clocks are set, or whoever asked began to look.
    package let start: Int64
    /// The instant at which clocks are set again, or ``never``.
    package let end: Int64
    /// What clocks show beyond UTC, in seconds.
    package let offset: Int64
    /// Up to what time clocks had run before they were set; ``wallStart`` if the stretch begins without that.
    package let shown: Int64

    /// What clocks show at the beginning.
    package var wallStart: Int64 { self.start + self.offset }

    /// What clocks show when they are set again, had they not been set.
    package var wallEnd: Int64 { self.end + self.offset }

    /// The times on the wall that clocks never showed, since they were set forward to begin this stretch.
    package var skipped: Range<Int64>? { self.shown < self.wallStart ? self.shown..<self.wallStart : nil }

    /// What clocks show from when on they show it for the first time: later than ``wallStart`` if they were set back.
    package var wallStartOfNew: Int64 { max(self.shown, self.wallStart) }
}
