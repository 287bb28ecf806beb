// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import Foundation

/// Dates as Swift's `JSONDecoder` reads them by default, which is how ActivityKit decodes content: seconds since
/// 2001-01-01.
///
/// Other software counts from 1970, in seconds or milliseconds, or writes strings. Devices show the first ones decades
/// late, and ignore a push with the last; APNs responds 200 in all cases.
public enum SwiftDate {
    /// How many seconds 2001-01-01 lies after 1970-01-01.
    public static let offset: Double = 978_307_200

    /// Seconds since 2001 that lie in 2050 or later are likelier to be seconds since 1970, which they are from 2019 on.
    private static let seconds: Range<Double> = 1_546_300_800..<4_102_444_800

    /// From here on a number is likelier to be milliseconds since 1970.
    private static let milliseconds: Range<Double> = 100_000_000_000..<10_000_000_000_000

    /// The date that a number means if it was counted from 1970; `nil` for one that may well be seconds since 2001.
    public static func meant(by number: Double) -> Date? {
        if self.seconds.contains(number) { return Date(timeIntervalSince1970: number) }
        return self.milliseconds.contains(number) ? Date(timeIntervalSince1970: number / 1000) : nil
    }

    /// A date as Swift reads it.
    public static func value(_ date: Date) -> JSONValue {
        let milliseconds = (date.timeIntervalSince1970 - self.offset) * 1000
        guard let whole = Int64(exactly: milliseconds.rounded()) else { return .double(milliseconds / 1000) }
        return whole.isMultiple(of: 1000) ? .integer(whole / 1000) : .double(Double(whole) / 1000)
    }

    /// A date as Swift reads it, as text.
    public static func text(_ date: Date) -> String {
        switch self.value(date) {
        case .integer(let number): "\(number)"
        case .double(let number): "\(number)"
        default: ""
        }
    }

    /// Returns the date that devices show for a number.
    public static func shown(_ number: Double) -> String {
        let date = Date(timeIntervalSince1970: number + self.offset)
        // Far from now the year says it all.
        guard number.magnitude < 50_000_000_000 else {
            return "in the year \((2001 + number / 31_556_952).rounded(.towardZero).shown)"
        }
        return "as \(date.formatted(Date.ISO8601FormatStyle()))"
    }

    /// A number counted from 1970, or a text, as Swift reads it; anything else stays as it is.
    static func converted(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): RFC3339.date(text).map(self.value) ?? value
        case .integer(let number): self.meant(by: Double(number)).map(self.value) ?? value
        case .double(let number): self.meant(by: number).map(self.value) ?? value
        case .null, .bool, .array, .object: value
        }
    }

    /// Why a value is no date to Swift, or hardly the one that is meant; `nil` when nothing speaks against it.
    static func fault(in value: JSONValue) -> (rule: String, value: String)? {
        let rule = "seconds since 2001-01-01, as Swift reads a Date"
        let number: Double
        switch value {
        case .integer(let whole): number = Double(whole)
        case .double(let fraction): number = fraction
        case .string(let text):
            let right = RFC3339.date(text).map { ": \(self.text($0)) for this one" } ?? ""
            return (rule + right, "a string, which makes devices ignore the push")
        default:
            return (rule, JSONTypeSet(value).found)
        }
        guard let meant = self.meant(by: number) else {
            guard number >= self.milliseconds.upperBound else { return nil }
            return (rule, "\(number.shown), which devices show \(self.shown(number))")
        }
        let right = ": \(self.text(meant)) for \(meant.formatted(Date.ISO8601FormatStyle()))"
        let unit = self.seconds.contains(number) ? "seconds" : "ms"
        return (rule + right, "\(number.shown), \(unit) since 1970: devices show it \(self.shown(number))")
    }
}

// MARK: - Without a schema for dates

extension SwiftDate {
    /// A number that may be a date, counted from 1970.
    public struct Suspect: Hashable, Sendable {
        /// The path of the number.
        public let field: String

        public let number: Double

        /// The date that it means if it was counted from 1970.
        public let meant: Date
    }

    /// How far from now a number has to lie that is suspected: ten years.
    private static let reach: Double = 315_576_000

    /// Numbers that look like times near now, counted from 1970; at most 5.
    ///
    /// - Returns: the numbers, each with its place.
    public static func suspects(in value: JSONValue, field: String, now: Date) -> [Suspect] {
        var found: [Suspect] = []
        self.collect(value, field, now, &found)
        return found
    }

    private static func collect(_ value: JSONValue, _ field: String, _ now: Date, _ found: inout [Suspect]) {
        guard found.count < 5 else { return }
        switch value {
        case .integer(let number): self.note(Double(number), field, now, &found)
        case .double(let number): self.note(number, field, now, &found)
        case .array(let elements):
            for (index, element) in elements.enumerated() { self.collect(element, "\(field)[\(index)]", now, &found) }
        case .object(let members):
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                self.collect(member, "\(field).\(name.prefix(64))", now, &found)
            }
        case .null, .bool, .string: break
        }
    }

    private static func note(_ number: Double, _ field: String, _ now: Date, _ found: inout [Suspect]) {
        guard let meant = self.meant(by: number), meant.timeIntervalSince(now).magnitude < self.reach else { return }
        found.append(Suspect(field: field, number: number, meant: meant))
    }
}
