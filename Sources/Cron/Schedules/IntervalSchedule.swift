// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation
import WallTime

/// A fixed number of seconds from an instant on, independent of local time.
public struct IntervalSchedule: Hashable, Sendable {
    /// The intervals that are allowed: from one second to 366 days.
    public static let intervals: ClosedRange<Duration> = .seconds(1)...(.seconds(366 * 86_400))

    /// Whole seconds between two occurrences.
    let seconds: Int64

    /// The first occurrence, in seconds since 1970.
    let start: Int64

    /// Every `interval` from an instant on, which is the first occurrence.
    ///
    /// `interval` is a whole number of seconds within ``intervals``. `start` is rounded down to whole seconds.
    /// - Throws: `InvalidValueError` for the field `every`.
    public init(_ interval: Duration, from start: Date) throws(InvalidValueError) {
        guard Self.intervals.contains(interval), interval.components.attoseconds == 0 else {
            throw InvalidValueError(field: "every", rule: "whole seconds in 1...\(366 * 86_400)", value: "\(interval)")
        }
        self.seconds = interval.components.seconds
        self.start = start.wholeSeconds
    }

    /// The time between two occurrences.
    public var interval: Duration { .seconds(self.seconds) }

    /// The first occurrence.
    public var first: Date { Date(wholeSeconds: self.start) }

    /// The first occurrence after an instant.
    public func next(after date: Date) -> Date? {
        Date(wholeSeconds: self.start + self.occurrences(through: date) * self.seconds)
    }

    /// The last occurrence that is not after an instant; `nil` before the first.
    public func previous(atOrBefore date: Date) -> Date? {
        let count = self.occurrences(through: date)
        return count == 0 ? nil : Date(wholeSeconds: self.start + (count - 1) * self.seconds)
    }

    /// How many occurrences there are after an instant, up to another and with it.
    public func count(after start: Date, through end: Date) -> Int {
        max(0, Int(self.occurrences(through: end) - self.occurrences(through: start)))
    }

    /// How many occurrences there are up to an instant and with it.
    private func occurrences(through date: Date) -> Int64 {
        max(0, (date.wholeSeconds - self.start).flooredDivision(by: self.seconds).quotient + 1)
    }
}

extension Date {
    /// Seconds since 1970, rounded down; for a date that is not in the years 1...9999, those of the nearest that is.
    var wholeSeconds: Int64 { FourDigitYears.clamp(self.timeIntervalSince1970) }

    /// The date that lies whole seconds after 1970.
    init(wholeSeconds: Int64) {
        self.init(timeIntervalSince1970: Double(wholeSeconds))
    }
}
