// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation
import WallTime

/// A cron expression by the clocks of a time zone.
///
/// Occurrences are whole seconds. Nothing is stepped through: searching takes microseconds, less than a millisecond for what
/// comes only every 40 years, and counting takes a step for each month and each setting of the clocks.
public struct CronSchedule: Hashable, Sendable {
    /// When on the wall.
    public let expression: CronExpression

    /// What becomes of occurrences when clocks are set.
    public let clockChanges: ClockChangePolicy

    /// The zone's clocks.
    private let clock: ZoneClock

    /// An expression by the clocks of a zone.
    ///
    /// - Parameters:
    ///   - expression: when on the wall.
    ///   - timeZone: an IANA name, such as `Europe/Zurich`.
    ///   - clockChanges: what becomes of occurrences when clocks are set. Default: ``ClockChangePolicy/fixedTime`` for
    ///     expressions that name times of the day, ``ClockChangePolicy/interval`` for others.
    /// - Throws: `ValidationFailure` for the field `timeZone` when there is no such zone.
    public init(
        _ expression: CronExpression,
        timeZone: String,
        clockChanges: ClockChangePolicy? = nil
    ) throws(ValidationFailure) {
        self.expression = expression
        self.clock = try ZoneClock(name: timeZone)
        self.clockChanges = clockChanges ?? (expression.isFixedTime ? .fixedTime : .interval)
    }

    /// The zone's name as it was given.
    public var timeZone: String { self.clock.name }

    /// The first occurrence after an instant; `nil` if there is none within 100 years.
    ///
    /// Every expression has days at least every 40 years. None occurs only if clocks skip each, and they are omitted.
    public func next(after date: Date) -> Date? {
        let earliest = date.wholeSeconds + 1
        for stretch in self.clock.stretches(from: earliest - ZoneClock.reach) {
            if let first = self.occurrences(in: stretch).first(from: earliest) { return Date(wholeSeconds: first) }
            if stretch.end > earliest + Self.horizon { break }
        }
        return nil
    }

    /// The last occurrence that is not after an instant; `nil` if there is none within 100 years.
    public func previous(atOrBefore date: Date) -> Date? {
        var latest = date.wholeSeconds
        let earliest = latest - Self.horizon
        while latest > earliest {
            // Somewhere in the zone's course from here to `latest`, clocks show this time or skip it.
            let start = self.expression.pattern.last(through: latest - ZoneClock.reach) - ZoneClock.reach
            let stretches = self.clock.stretches(from: start - ZoneClock.reach).prefix { $0.start <= latest }
            let last = stretches.reversed().lazy.compactMap { self.occurrences(in: $0).last(through: latest) }.first
            if let last, last >= start { return Date(wholeSeconds: last) }
            latest = start - 1
        }
        return nil
    }

    /// How many occurrences there are after an instant, up to another and with it.
    public func count(after start: Date, through end: Date) -> Int {
        let (first, last) = (start.wholeSeconds + 1, end.wholeSeconds)
        guard first <= last else { return 0 }
        return self.clock.stretches(from: first - ZoneClock.reach).prefix { $0.start <= last }
            .reduce(0) { $0 + self.occurrences(in: $1).count(in: first..<last + 1) }
    }

    /// How far is looked for an occurrence, in seconds: 100 years.
    private static let horizon: Int64 = 36_525 * 86_400

    private func occurrences(in stretch: ClockStretch) -> StretchOccurrences {
        StretchOccurrences(pattern: self.expression.pattern, stretch: stretch, policy: self.clockChanges)
    }
}
