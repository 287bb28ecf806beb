// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation

/// A time as signatures write it: `20150830T123600Z`, in UTC.
package struct AmzDate: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Seconds since 1970-01-01 00:00 UTC.
    package let seconds: Int64

    /// Reads the text; `nil` when it is no such time, or one that no calendar has.
    package init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 16, bytes[8] == UInt8(ascii: "T"), bytes[15] == UInt8(ascii: "Z") else { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            var value: Int64 = 0
            for byte in bytes[range] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            return value
        }
        guard let year = number(0..<4), let month = number(4..<6), let day = number(6..<8),
            let hour = number(9..<11), let minute = number(11..<13), let second = number(13..<15),
            (1...12).contains(month), day >= 1, hour < 24, minute < 60, second < 60
        else { return nil }
        let days = Self.days(year: year, month: month, day: day)
        // A day that the month does not have comes back as one of the next month.
        guard Self.date(days: days) == (year, month, day) else { return nil }
        self.init(seconds: days * 86400 + hour * 3600 + minute * 60 + second)
    }

    /// The time at this second of the years 0 to 9999.
    package init(seconds: Int64) {
        self.seconds = seconds
    }

    /// The time of a date, rounded down; for a date that is not in the years 1 to 9999, that of the nearest that is.
    init(_ date: Date) {
        self.init(seconds: FourDigitYears.clamp(date.timeIntervalSince1970))
    }

    /// The text, 16 characters.
    package var description: String {
        let second = self.seconds.floorDivided(by: 86400).remainder
        let time = second / 3600 * 10_000 + second / 60 % 60 * 100 + second % 60
        return "\(self.day)T\(Self.padded(time, to: 6))Z"
    }

    /// The day alone: `20150830`.
    package var day: String {
        let (year, month, day) = Self.date(days: self.seconds.floorDivided(by: 86400).quotient)
        return Self.padded(year * 10_000 + month * 100 + day, to: 8)
    }

    private static func padded(_ number: Int64, to width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }

    package static func < (left: AmzDate, right: AmzDate) -> Bool { left.seconds < right.seconds }

    // Days since 1970-01-01 of the Gregorian calendar, counted in years that begin in March.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = shifted.floorDivided(by: 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days + 719_468).floorDivided(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}

extension Int64 {
    /// Quotient rounded down, and the remainder from 0 up.
    fileprivate func floorDivided(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = self.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
