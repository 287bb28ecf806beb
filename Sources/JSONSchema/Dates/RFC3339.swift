// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import Foundation

/// Times as texts in the form of RFC 3339: `2026-02-03T04:05:06.789+09:00`.
package enum RFC3339 {
    /// The years 1583 to 9999, in seconds since 1970: Foundation writes these times as they are read here.
    ///
    /// Before, it counts in the Julian calendar.
    package static let writable = -12_212_553_600.0..<Double(FourDigitYears.last + 1)

    /// The time that a text names; `nil` for another text, such as one that names a 30th of February.
    package static func date(_ text: String) -> Date? {
        var rest = Array(text.utf8)[...]
        guard rest.count <= 64,
            let year = self.number(&rest, digits: 4), self.take("-", &rest),
            let month = self.number(&rest, digits: 2), (1...12).contains(month), self.take("-", &rest),
            let day = self.number(&rest, digits: 2), (1...self.days(in: month, of: year)).contains(day),
            self.take("Tt ", &rest),
            let hour = self.number(&rest, digits: 2), hour < 24, self.take(":", &rest),
            let minute = self.number(&rest, digits: 2), minute < 60, self.take(":", &rest),
            let second = self.number(&rest, digits: 2), second <= 60,
            let fraction = self.fraction(&rest), let offset = self.offset(&rest), rest.isEmpty
        else { return nil }
        let days = self.days(before: year, month) + day - 1
        let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second - offset
        // From 2001 on, as `Date` counts: so the fraction keeps as many digits as Foundation's own parser keeps.
        return Date(timeIntervalSinceReferenceDate: Double(seconds - 978_307_200) + fraction)
    }

    /// The text of a time in milliseconds since 1970, such as `2026-02-03T04:05:06.789Z`.
    ///
    /// Foundation's own style takes many times as long, and cuts half of all times to the millisecond before.
    package static func text(milliseconds: Int64) -> String {
        guard self.writable.contains(Double(milliseconds) / 1000) else {
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            return date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        }
        // Day 0 is 0000-03-01: years that begin in March end with the day that is sometimes there.
        let (day, time) = (milliseconds + 719_468 * 86_400_000).quotientAndRemainder(dividingBy: 86_400_000)
        let (era, dayOfEra) = day.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return String(unsafeUninitializedCapacity: 24) { text in
            _ = text.initialize(from: "0000-00-00T00:00:00.000Z".utf8)
            func write(_ number: Int64, _ digits: ClosedRange<Int>) {
                var rest = number
                for digit in digits.reversed() {
                    text[digit] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                    rest /= 10
                }
            }
            write(era * 400 + yearOfEra + (month <= 2 ? 1 : 0), 0...3)
            write(month, 5...6)
            write(dayOfYear - (153 * shifted + 2) / 5 + 1, 8...9)
            write(time / 3_600_000, 11...12)
            write(time / 60_000 % 60, 14...15)
            write(time / 1000 % 60, 17...18)
            write(time % 1000, 20...22)
            return 24
        }
    }

    private static func number(_ text: inout ArraySlice<UInt8>, digits: Int) -> Int? {
        guard text.count >= digits else { return nil }
        var number = 0
        for digit in text.prefix(digits) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        text = text.dropFirst(digits)
        return number
    }

    private static func take(_ any: String, _ text: inout ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, any.utf8.contains(first) else { return false }
        text = text.dropFirst()
        return true
    }

    private static func fraction(_ text: inout ArraySlice<UInt8>) -> Double? {
        guard self.take(".", &text) else { return 0 }
        var (digits, scale) = (0.0, 1.0)
        while let digit = self.number(&text, digits: 1) {
            digits = digits * 10 + Double(digit)
            scale *= 10
        }
        return scale > 1 ? digits / scale : nil
    }

    private static func offset(_ text: inout ArraySlice<UInt8>) -> Int? {
        if self.take("Zz", &text) { return 0 }
        let isBehind = text.first == UInt8(ascii: "-")
        guard self.take("+-", &text), let hours = self.number(&text, digits: 2), hours < 24 else { return nil }
        // ISO 8601 allows `+0900` and `+09` too.
        let minutes = self.take(":", &text) || !text.isEmpty ? self.number(&text, digits: 2) : 0
        guard let minutes, minutes < 60 else { return nil }
        return (isBehind ? -1 : 1) * (hours * 60 + minutes) * 60
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// How many days lie between 1970-01-01 and the first of a month, in the Gregorian calendar.
    private static func days(before year: Int, _ month: Int) -> Int {
        // Years begin in March here, so that the day that is sometimes there is the last one.
        let year = month > 2 ? year : year - 1
        let shifted = (month + 9) % 12
        return 365 * year + year / 4 - year / 100 + year / 400 + (153 * shifted + 2) / 5 - 719_468
    }
}
