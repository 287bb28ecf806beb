// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// When something recurs: by a cron expression, or at a fixed interval.
public enum Schedule: Hashable, Sendable {
    /// By a cron expression and the clocks of a time zone.
    case cron(CronSchedule)

    /// A fixed interval.
    case every(IntervalSchedule)

    /// By a cron expression and the clocks of a time zone.
    ///
    /// The expression has five or six fields, or is a macro; see ``CronExpression``. `timeZone` is an IANA name. Its
    /// default is `UTC`, whose clocks are never set. Without `dstPolicy`, the expression selects the policy.
    /// - Throws: `InvalidValueError` for the field `timeZone`, `cron` or one in it.
    public static func cron(
        _ expression: String,
        timeZone: String = "UTC",
        dstPolicy: DSTPolicy? = nil
    ) throws(InvalidValueError) -> Schedule {
        .cron(try CronSchedule(try CronExpression(expression), timeZone: timeZone, dstPolicy: dstPolicy))
    }

    /// Every `interval` from an instant on, which is the first occurrence.
    ///
    /// - Throws: `InvalidValueError` for the field `every` unless `interval` is whole seconds, 1 ... 366 days of them.
    public static func every(_ interval: Duration, from start: Date) throws(InvalidValueError) -> Schedule {
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

    /// Returns the occurrences that were missed since the instant of the last run; `nil` if there are none.
    ///
    /// It takes microseconds for a year, also for an occurrence every second.
    public func missed(since last: Date, now: Date) -> MissedOccurrences? {
        guard let newest = self.previous(atOrBefore: now), newest > last else { return nil }
        return MissedOccurrences(count: self.count(after: last, through: now), newest: newest)
    }
}

/// The occurrences of a schedule while no scheduler ran.
public struct MissedOccurrences: Hashable, Sendable {
    /// How many occurrences there were: at least 1.
    public let count: Int

    /// The last of them.
    public let newest: Date

    public init(count: Int, newest: Date) {
        self.count = count
        self.newest = newest
    }
}

/// The members of a schedule as JSON: `cron`, `timeZone` and `dstPolicy`, or `everySeconds` and `from`, in seconds.
private enum ScheduleKey: String, CodingKey {
    case cron, timeZone, dstPolicy, everySeconds, from
}

extension Schedule: Codable {
    /// Reads a schedule by a cron expression, or at an interval.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ScheduleKey.self)
        self =
            container.contains(.everySeconds)
            ? .every(try IntervalSchedule(from: decoder)) : .cron(try CronSchedule(from: decoder))
    }

    /// Encodes the definition of the schedule.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .cron(let schedule): try schedule.encode(to: encoder)
        case .every(let schedule): try schedule.encode(to: encoder)
        }
    }
}

extension CronSchedule: Codable {
    /// Reads `cron`, `timeZone` and, if it is there, `dstPolicy`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ScheduleKey.self)
        let expression = try container.decode(CronExpression.self, forKey: .cron)
        let timeZone = try container.decode(String.self, forKey: .timeZone)
        let dstPolicy = try container.decodeIfPresent(DSTPolicy.self, forKey: .dstPolicy)
        do {
            try self.init(expression, timeZone: timeZone, dstPolicy: dstPolicy)
        } catch {
            throw DecodingError.dataCorruptedError(forKey: .timeZone, in: container, debugDescription: error.message)
        }
    }

    /// Encodes `cron`, `timeZone` and `dstPolicy`, so that a stored schedule does not depend on the default policy.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ScheduleKey.self)
        try container.encode(self.expression, forKey: .cron)
        try container.encode(self.timeZone, forKey: .timeZone)
        try container.encode(self.dstPolicy, forKey: .dstPolicy)
    }
}

extension IntervalSchedule: Codable {
    /// Reads `everySeconds` and `from`, both in seconds.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ScheduleKey.self)
        let seconds = try container.decode(Int64.self, forKey: .everySeconds)
        let start = try container.decode(Int64.self, forKey: .from)
        do {
            try self.init(.seconds(seconds), from: Date(wholeSeconds: start))
        } catch {
            throw DecodingError.dataCorruptedError(
                forKey: .everySeconds,
                in: container,
                debugDescription: error.message
            )
        }
    }

    /// Writes `everySeconds` and `from`, both in seconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ScheduleKey.self)
        try container.encode(self.seconds, forKey: .everySeconds)
        try container.encode(self.start, forKey: .from)
    }
}
