// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation
import WallTime

/// A cron expression in a time zone.
///
/// Occurrences are whole seconds. The search does not step through time: it takes microseconds, less than a millisecond
/// for an occurrence every 40 years. Counting takes a step for each month and each change of the UTC offset.
public struct CronSchedule: Hashable, Sendable {
    /// When on the wall.
    public let expression: CronExpression

    /// The policy for changes of the UTC offset.
    public let dstPolicy: DSTPolicy

    private let clock: TimeZoneClock

    /// An expression by the clocks of a zone.
    ///
    /// `timeZone` is an IANA name, such as `Europe/Zurich`. Without `dstPolicy`, ``CronExpression/isFixedTime``
    /// selects the policy.
    /// - Throws: `InvalidValueError` for the field `timeZone` when there is no such zone.
    public init(
        _ expression: CronExpression,
        timeZone: String,
        dstPolicy: DSTPolicy? = nil
    ) throws(InvalidValueError) {
        self.expression = expression
        self.clock = try TimeZoneClock(name: timeZone)
        self.dstPolicy = dstPolicy ?? (expression.isFixedTime ? .fixedTime : .interval)
    }

    /// The zone's name as it was given.
    public var timeZone: String { self.clock.name }

    /// The first occurrence after an instant; `nil` if there is none within 100 years.
    ///
    /// Every expression has days at least every 40 years. None occurs only if clocks skip each, and they are omitted.
    public func next(after date: Date) -> Date? {
        let earliest = date.wholeSeconds + 1
        for stretch in self.clock.stretches(from: earliest - TimeZoneClock.reach) {
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
            let start = self.expression.pattern.last(through: latest - TimeZoneClock.reach) - TimeZoneClock.reach
            let stretches = self.clock.stretches(from: start - TimeZoneClock.reach).prefix { $0.start <= latest }
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
        return self.clock.stretches(from: first - TimeZoneClock.reach).prefix { $0.start <= last }
            .reduce(0) { $0 + self.occurrences(in: $1).count(in: first..<last + 1) }
    }

    /// How far is looked for an occurrence, in seconds: 100 years.
    private static let horizon: Int64 = 36_525 * 86_400

    private func occurrences(in stretch: UTCOffsetPeriod) -> OffsetPeriodOccurrences {
        OffsetPeriodOccurrences(pattern: self.expression.pattern, stretch: stretch, policy: self.dstPolicy)
    }
}

/// The occurrences of a pattern while the clocks of a zone run on without being set.
struct OffsetPeriodOccurrences {
    let pattern: LocalTimePattern
    let stretch: UTCOffsetPeriod
    let policy: DSTPolicy

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
        switch self.policy.repeatedTime {
        case .runOnce: self.stretch.wallStartOfNew
        case .runTwice: self.stretch.wallStart
        }
    }

    /// Whether the beginning of the stretch is an occurrence for times that clocks skipped.
    private var startStandsForSkipped: Bool {
        guard self.policy.skippedTime == .runAfter, let skipped = self.stretch.skipped else { return false }
        return self.pattern.first(from: skipped.lowerBound) < skipped.upperBound
    }
}
