// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// One of the fields of an expression, and the values it knows.
enum CronField: CaseIterable, Sendable {
    case second, minute, hour, dayOfMonth, month, dayOfWeek

    /// Its name in a failure.
    var path: String { "cron.\(self)" }

    var lowest: Int { self == .dayOfMonth || self == .month ? 1 : 0 }

    /// How many values it has; after the last of them comes the first again.
    var count: Int {
        switch self {
        case .second, .minute: 60
        case .hour: 24
        case .dayOfMonth: 31
        case .month: 12
        case .dayOfWeek: 7
        }
    }

    var highest: Int { self.lowest + self.count - 1 }

    /// The greatest number that may be written: Sunday is 0 and 7.
    var highestNumber: Int { self == .dayOfWeek ? 7 : self.highest }

    /// The names of its values, from the lowest on.
    var names: [String] {
        switch self {
        case .month: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
        case .dayOfWeek: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
        case .second, .minute, .hour, .dayOfMonth: []
        }
    }

    /// The valid values, as a phrase that follows "expected".
    var rule: String {
        switch self {
        case .second, .minute: "0...59, a range, '*' or a list of these"
        case .hour: "0...23, a range, '*' or a list of these"
        case .dayOfMonth: "1...31, a range, 'L', 'L-1' to 'L-30', 'LW', '1W' to '31W', '*', '?' or a list of these"
        case .month: "1...12 or JAN...DEC, a range, '*' or a list of these"
        case .dayOfWeek: "0...7 or SUN...SAT, a range, such as 'FRIL' or 'FRI#2', '*', '?' or a list of these"
        }
    }

    /// Creates the error for a value that violates the field's ``rule``.
    func failure(_ value: some StringProtocol) -> InvalidValueError {
        self.failure(self.rule, value)
    }

    /// Creates the error for a value that violates another rule.
    func failure(_ rule: String, _ value: some StringProtocol) -> InvalidValueError {
        InvalidValueError(field: self.path, rule: rule, value: value.isEmpty ? "nothing" : String(value))
    }
}

extension CronField {
    /// The terms of a list.
    func terms(of text: Substring) throws(InvalidValueError) -> [Substring] {
        let terms = text.split(separator: ",", omittingEmptySubsequences: false)
        guard !terms.contains(where: \.isEmpty) else {
            throw self.failure("a value on both sides of each comma", text)
        }
        return terms
    }

    /// Returns the values of one term: `*`, `5`, `MON-FRI`, `*/15`, `8-18/2`, or `10/20`, which is `10-59/20` of
    /// minutes.
    ///
    /// A range whose end is before its beginning wraps around: `22-2` of hours is `22,23,0,1,2`.
    func values(of term: Substring) throws(InvalidValueError) -> ValueSet {
        let halves = term.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let step = halves.count == 2 ? try self.step(halves[1], in: term) : nil
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        let first: Int
        let span: Int
        if halves[0] == "*" {
            (first, span) = (self.lowest, self.count - 1)
        } else if ends.count == 2 {
            first = try self.number(ends[0], in: term)
            let distance = try self.number(ends[1], in: term) - first
            span = distance < 0 ? distance + self.count : distance
        } else {
            first = self.value(at: try self.number(halves[0], in: term))
            span = step == nil ? 0 : self.highest - first
        }
        var values = ValueSet()
        for number in stride(from: first, through: first + span, by: step ?? 1) {
            values.insert(self.value(at: number))
        }
        return values
    }

    /// One value, as a number or a name.
    func number(_ text: Substring, in term: Substring) throws(InvalidValueError) -> Int {
        if let index = self.names.firstIndex(where: { $0 == text }) { return index + self.lowest }
        guard let number = Self.digits(text), (self.lowest...self.highestNumber).contains(number) else {
            throw self.failure(term)
        }
        return number
    }

    /// Returns the value of a number; numbers above the greatest value wrap around: 7 is Sunday, hour 25 is 1.
    func value(at number: Int) -> Int { self.lowest + (number - self.lowest) % self.count }

    /// One or two digits.
    static func digits(_ text: Substring) -> Int? {
        guard (1...2).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }

    private func step(_ text: Substring, in term: Substring) throws(InvalidValueError) -> Int {
        guard let step = Self.digits(text), (1..<self.count).contains(step) else {
            throw self.failure("a step of 1...\(self.count - 1) after the slash", term)
        }
        return step
    }
}

/// A set of numbers in 0...63, as bits of one word.
struct ValueSet: Hashable, Sendable {
    private(set) var bits: UInt64 = 0

    var count: Int { self.bits.nonzeroBitCount }

    var isEmpty: Bool { self.bits == 0 }

    /// The least; 64 if there is none.
    var lowest: Int { self.bits.trailingZeroBitCount }

    /// The greatest; -1 if there is none.
    var highest: Int { 63 - self.bits.leadingZeroBitCount }

    func contains(_ value: Int) -> Bool { self.bits >> value & 1 == 1 }

    /// The least that is at least `value`.
    func first(from value: Int) -> Int? {
        let rest = self.bits & (~0 << value)
        return rest == 0 ? nil : rest.trailingZeroBitCount
    }

    /// The greatest that is at most `value`.
    func last(through value: Int) -> Int? {
        let rest = self.bits & (~0 >> (63 - value))
        return rest == 0 ? nil : 63 - rest.leadingZeroBitCount
    }

    /// How many are less than `value`.
    func count(below value: Int) -> Int { (self.bits & ~(~0 << value)).nonzeroBitCount }

    mutating func insert(_ value: Int) { self.bits |= 1 << value }

    mutating func formUnion(_ other: ValueSet) { self.bits |= other.bits }
}

/// The values of a field that is no day: seconds, minutes, hours or months.
struct TimeField: Hashable, Sendable {
    let values: ValueSet
    /// Whether it is an interval rather than a time: it starts with `*`, or continues in steps without an end, like
    /// `0/15`.
    let isOpen: Bool

    init(_ text: Substring, of field: CronField) throws(InvalidValueError) {
        var values = ValueSet()
        var hasOpenStep = false
        for term in try field.terms(of: text) {
            values.formUnion(try field.values(of: term))
            hasOpenStep = hasOpenStep || (term.contains("/") && !term.contains("-"))
        }
        self.values = values
        self.isOpen = text.hasPrefix("*") || hasOpenStep
    }
}
