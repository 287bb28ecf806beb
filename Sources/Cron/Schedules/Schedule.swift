// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// When something recurs: by a cron expression, or at a fixed interval.
public enum Schedule: Hashable, Sendable {
    /// By a cron expression and the clocks of a time zone.
    case cron(CronSchedule)

    /// Every so many seconds.
    case every(IntervalSchedule)

    /// By a cron expression and the clocks of a time zone.
    ///
    /// - Parameters:
    ///   - expression: five or six fields, or a macro; see ``CronExpression``.
    ///   - timeZone: an IANA name. Default: `UTC`, whose clocks are never set.
    ///   - clockChanges: what becomes of occurrences when clocks are set. Default: what suits the expression.
    /// - Returns: the schedule.
    /// - Throws: `ValidationFailure` for the field `timeZone`, `cron` or one in it.
    public static func cron(
        _ expression: String,
        timeZone: String = "UTC",
        clockChanges: ClockChangePolicy? = nil
    ) throws(ValidationFailure) -> Schedule {
        .cron(try CronSchedule(try CronExpression(expression), timeZone: timeZone, clockChanges: clockChanges))
    }

    /// Every `interval` from an instant on, which is the first occurrence.
    ///
    /// - Throws: `ValidationFailure` for the field `every` unless `interval` is whole seconds, 1 ... 366 days of them.
    public static func every(_ interval: Duration, from start: Date) throws(ValidationFailure) -> Schedule {
        .every(try IntervalSchedule(interval, from: start))
    }

    /// The first occurrence after an instant; `nil` if there is none within 100 years.
    public func next(after date: Date) -> Date? {
        switch self {
        case .cron(let schedule): schedule.next(after: date)
        case .every(let schedule): schedule.next(after: date)
        }
    }

    /// The last occurrence that is not after an instant; `nil` if there is none, or none within 100 years.
    public func previous(atOrBefore date: Date) -> Date? {
        switch self {
        case .cron(let schedule): schedule.previous(atOrBefore: date)
        case .every(let schedule): schedule.previous(atOrBefore: date)
        }
    }

    /// How many occurrences there are after an instant, up to another and with it, without going through them.
    public func count(after start: Date, through end: Date) -> Int {
        switch self {
        case .cron(let schedule): schedule.count(after: start, through: end)
        case .every(let schedule): schedule.count(after: start, through: end)
        }
    }

    /// The first occurrences after an instant, up to another and with it, and at most `limit` of them.
    public func occurrences(after start: Date, through end: Date = .distantFuture, limit: Int) -> [Date] {
        var occurrences: [Date] = []
        while occurrences.count < limit, let next = self.next(after: occurrences.last ?? start), next <= end {
            occurrences.append(next)
        }
        return occurrences
    }

    /// What was missed since an instant at which something last ran; `nil` if nothing was.
    ///
    /// It takes microseconds for a year, of seconds as well as of days.
    public func missed(since last: Date, now: Date) -> MissedOccurrences? {
        guard let newest = self.previous(atOrBefore: now), newest > last else { return nil }
        return MissedOccurrences(count: self.count(after: last, through: now), newest: newest)
    }
}
