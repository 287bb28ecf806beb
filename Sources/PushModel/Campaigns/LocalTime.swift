// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import Foundation
import WallTime

/// Date and time of day as a clock on the wall shows them: `2026-03-29T09:00` or `2026-03-29T09:00:30`.
public struct LocalTime: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Seconds since 1970 of the instant at which a clock that shows UTC shows this.
    public let secondsAsUTC: Int64

    public init(secondsAsUTC: Int64) {
        self.secondsAsUTC = secondsAsUTC
    }

    /// Reads a date and a time of day without a zone.
    ///
    /// - Throws: `InvalidValueError` for the field `time` when it is none.
    public init(_ text: String) throws(InvalidValueError) {
        let failure = InvalidValueError(
            field: "time",
            rule: "a local date and time without a zone, such as '2026-02-03T09:00'",
            value: "\(text.utf8.count) bytes of another form"
        )
        let halves = text.split(separator: "T", omittingEmptySubsequences: false)
        guard halves.count == 2 else { throw failure }
        let date = halves[0].split(separator: "-", omittingEmptySubsequences: false).map(Self.number)
        let time = halves[1].split(separator: ":", omittingEmptySubsequences: false).map(Self.number)
        guard date.count == 3, let year = date[0], let month = date[1], let day = date[2],
            (2...3).contains(time.count), let hour = time[0], let minute = time[1],
            let second = time.count == 3 ? time[2] : 0,
            (1970...9999).contains(year), (1...12).contains(month), (0...23).contains(hour),
            (0...59).contains(minute), (0...59).contains(second),
            (1...CivilMonth(year: year, month: month).length).contains(day)
        else { throw failure }
        let days = CivilMonth(year: year, month: month).firstDay + day - 1
        self.secondsAsUTC = Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }

    /// Date and time of day, with seconds where there are any.
    public var description: String {
        let text = ISO8601Timestamp.text(Date(timeIntervalSince1970: Double(self.secondsAsUTC)))
        return String(text.prefix(self.secondsAsUTC % 60 == 0 ? 16 : 19))
    }

    /// Two or four digits.
    private static func number(_ text: Substring) -> Int? {
        guard [2, 4].contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }
}
