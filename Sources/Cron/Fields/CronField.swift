// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// One of the fields of an expression, and the values it knows.
enum CronField: CaseIterable, Sendable {
    case second, minute, hour, dayOfMonth, month, dayOfWeek

    /// Its name in a failure.
    var path: String { "cron.\(self)" }

    /// The least of its values.
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

    /// The greatest of its values.
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

    /// What is allowed in it, as a phrase that follows "expected".
    var rule: String {
        switch self {
        case .second, .minute: "0...59, a range, '*' or a list of these"
        case .hour: "0...23, a range, '*' or a list of these"
        case .dayOfMonth: "1...31, a range, 'L', 'L-1' to 'L-30', 'LW', '1W' to '31W', '*', '?' or a list of these"
        case .month: "1...12 or JAN...DEC, a range, '*' or a list of these"
        case .dayOfWeek: "0...7 or SUN...SAT, a range, such as 'FRIL' or 'FRI#2', '*', '?' or a list of these"
        }
    }

    /// What is said of a value that breaks the field's ``rule``.
    func failure(_ value: some StringProtocol) -> ValidationFailure {
        self.failure(self.rule, value)
    }

    /// What is said of a value that breaks a rule of its own.
    func failure(_ rule: String, _ value: some StringProtocol) -> ValidationFailure {
        ValidationFailure(field: self.path, rule: rule, value: value.isEmpty ? "nothing" : String(value))
    }
}
