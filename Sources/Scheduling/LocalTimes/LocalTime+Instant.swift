// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Foundation
public import PushModel

extension LocalTime {
    /// The instant at which clocks of a time zone show this time.
    ///
    /// A time that is shown twice, since clocks are set back, stands for the first. One that is never shown, since they
    /// are set forward, stands for the instant at which they are.
    public func instant(in zone: TimeZone) -> Date {
        let wall = Double(self.secondsAsUTC)
        // Clocks are set at most once within two days; the offsets before and after that are all that come into question.
        let before = Self.offset(of: zone, at: wall - 86_400)
        let after = Self.offset(of: zone, at: wall + 86_400)
        let shown = [wall - before, wall - after].sorted().first { Self.offset(of: zone, at: $0) == wall - $0 }
        return Date(timeIntervalSince1970: shown ?? Self.change(of: zone, from: wall - after, to: wall - before))
    }

    /// The first second at which the offset is no longer what it was at the beginning.
    private static func change(of zone: TimeZone, from start: Double, to end: Double) -> Double {
        var (low, high) = (min(start, end), max(start, end))
        let offset = self.offset(of: zone, at: low)
        while high - low > 1 {
            let middle = ((low + high) / 2).rounded(.down)
            if self.offset(of: zone, at: middle) == offset { low = middle } else { high = middle }
        }
        return high
    }

    private static func offset(of zone: TimeZone, at time: Double) -> Double {
        Double(zone.secondsFromGMT(for: Date(timeIntervalSince1970: time)))
    }
}
