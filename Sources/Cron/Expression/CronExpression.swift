// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// When something recurs, in the language of cron: `0 9 * * MON-FRI`, `*/15 * * * * *`, `@daily`.
///
/// Five fields are minute, hour, day of the month, month and day of the week; a sixth in front is the second, which is
/// 0 without it. An expression names times on the wall; a ``CronSchedule`` says where the wall is. Its language is that
/// of cronie, with `L`, `W` and `#` of Quartz; days of the week are those of cron: 0 and 7 are Sunday.
///
/// Two are equal when they are written alike, apart from case and spaces.
public struct CronExpression: Hashable, Sendable, CustomStringConvertible {
    /// Its text, in upper case and with single spaces; macros in lower case.
    public let description: String

    /// Whether it names times of day, rather than an interval within a day.
    ///
    /// It does if its second, minute and hour neither start with `*` nor continue in steps without an end, like `0/15`:
    /// `30 2 * * *` is a fixed time, `30 * * * *` and `*/10 2 * * *` are not. They are treated differently when the
    /// clocks change: see ``DSTPolicy``.
    public let isFixedTime: Bool

    /// The times on the wall.
    let pattern: LocalTimePattern

    init(description: String, isFixedTime: Bool, pattern: LocalTimePattern) {
        self.description = description
        self.isFixedTime = isFixedTime
        self.pattern = pattern
    }
}

extension CronExpression {
    /// The longest text, in bytes of UTF-8.
    public static let maximumLength = 256

    /// Reads an expression.
    ///
    /// - Throws: `InvalidValueError` for the field `cron`, or the one at fault: `cron.second`, `cron.minute`,
    ///   `cron.hour`, `cron.dayOfMonth`, `cron.month` or `cron.dayOfWeek`. An expression that no year has a day for is
    ///   refused as well.
    public init(_ text: String) throws(InvalidValueError) {
        let isPrintable = text.utf8.allSatisfy { (32...126).contains($0) || $0 == UInt8(ascii: "\t") }
        guard isPrintable, text.utf8.count <= Self.maximumLength else {
            throw InvalidValueError(
                field: "cron",
                rule: "at most \(Self.maximumLength) characters of printable ASCII",
                value: "\(text.utf8.count) bytes" + (isPrintable ? "" : " with others among them")
            )
        }
        let words = text.split { $0 == " " || $0 == "\t" }
        if let name = words.first, name.hasPrefix("@") {
            let macro = try CronMacro(words.joined(separator: " "))
            try self.init(fields: macro.fields, description: "@\(macro)")
        } else {
            let fields = words.joined(separator: " ").uppercased()
            try self.init(fields: fields, description: fields)
        }
    }

    private init(fields text: String, description: String) throws(InvalidValueError) {
        var fields = text.split(separator: " ")
        guard fields.count == 5 || fields.count == 6 else {
            throw InvalidValueError(
                field: "cron",
                rule: "five fields (minute, hour, day of month, month, day of week), or six with the second in front",
                value: fields.isEmpty ? "nothing" : "\(fields.count) in '\(text)'"
            )
        }
        if fields.count == 5 { fields.insert("0", at: 0) }
        let second = try TimeField(fields[0], of: .second)
        let minute = try TimeField(fields[1], of: .minute)
        let hour = try TimeField(fields[2], of: .hour)
        let monthDays = try MonthDays(fields[3])
        let month = try TimeField(fields[4], of: .month)
        let weekDays = try WeekDays(fields[5])
        guard let days = DayPattern(months: month.values, monthDays: monthDays, weekDays: weekDays) else {
            throw InvalidValueError(field: "cron", rule: "a day that comes in some year", value: text)
        }
        let times = TimesOfDay(hours: hour.values, minutes: minute.values, seconds: second.values)
        self.init(
            description: description,
            isFixedTime: !second.isOpen && !minute.isOpen && !hour.isOpen,
            pattern: LocalTimePattern(times: times, days: days)
        )
    }
}

extension CronExpression: Codable {
    /// Reads the text of an expression.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(try container.decode(String.self))
        } catch let failure as InvalidValueError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: failure.message)
        }
    }

    /// Writes the text of the expression.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.description)
    }
}

/// A name for an expression.
enum CronMacro: String, CaseIterable {
    case yearly, annually, monthly, weekly, daily, midnight, hourly

    /// Reads a name with its `@`.
    init(_ text: String) throws(InvalidValueError) {
        guard let macro = Self(rawValue: text.dropFirst().lowercased()) else {
            let names = Self.allCases.map { "@\($0)" }.joined(separator: ", ")
            throw InvalidValueError(field: "cron", rule: "one of \(names)", value: text)
        }
        self = macro
    }

    /// The five equivalent fields.
    var fields: String {
        switch self {
        case .yearly, .annually: "0 0 1 1 *"
        case .monthly: "0 0 1 * *"
        case .weekly: "0 0 * * 0"
        case .daily, .midnight: "0 0 * * *"
        case .hourly: "0 * * * *"
        }
    }
}
