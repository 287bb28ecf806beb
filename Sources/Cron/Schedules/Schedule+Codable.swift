// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation

/// The members of a schedule as JSON: `cron`, `timeZone` and `clockChanges`, or `every` and `from` in seconds.
private enum ScheduleKey: String, CodingKey {
    case cron, timeZone, clockChanges, every, from
}

extension Schedule: Codable {
    /// Reads a schedule by a cron expression, or at an interval.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ScheduleKey.self)
        self =
            container.contains(.every)
            ? .every(try IntervalSchedule(from: decoder)) : .cron(try CronSchedule(from: decoder))
    }

    /// Writes what the schedule is by.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .cron(let schedule): try schedule.encode(to: encoder)
        case .every(let schedule): try schedule.encode(to: encoder)
        }
    }
}

extension CronSchedule: Codable {
    /// Reads `cron`, `timeZone` and, if it is there, `clockChanges`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ScheduleKey.self)
        let expression = try container.decode(CronExpression.self, forKey: .cron)
        let timeZone = try container.decode(String.self, forKey: .timeZone)
        let clockChanges = try container.decodeIfPresent(ClockChangePolicy.self, forKey: .clockChanges)
        do {
            try self.init(expression, timeZone: timeZone, clockChanges: clockChanges)
        } catch {
            throw DecodingError.dataCorruptedError(forKey: .timeZone, in: container, debugDescription: error.message)
        }
    }

    /// Writes `cron`, `timeZone` and `clockChanges`: what is stored fares the same when the default changes.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ScheduleKey.self)
        try container.encode(self.expression, forKey: .cron)
        try container.encode(self.timeZone, forKey: .timeZone)
        try container.encode(self.clockChanges, forKey: .clockChanges)
    }
}

extension IntervalSchedule: Codable {
    /// Reads `every` and `from`, both in seconds.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ScheduleKey.self)
        let seconds = try container.decode(Int64.self, forKey: .every)
        let start = try container.decode(Int64.self, forKey: .from)
        do {
            try self.init(.seconds(seconds), from: Date(wholeSeconds: start))
        } catch {
            throw DecodingError.dataCorruptedError(forKey: .every, in: container, debugDescription: error.message)
        }
    }

    /// Writes `every` and `from`, both in seconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: ScheduleKey.self)
        try container.encode(self.seconds, forKey: .every)
        try container.encode(self.start, forKey: .from)
    }
}
