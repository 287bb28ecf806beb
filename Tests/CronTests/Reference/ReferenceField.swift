// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A random field of an expression, and which readings of a clock it admits, told one by one.
struct ReferenceField {
    let text: String
    let admits: (ReferenceClock.Reading) -> Bool
    /// Whether it begins with a star, or is a question mark.
    var isOpen: Bool { self.text.hasPrefix("*") || self.text == "?" }

    /// A star.
    static var any: ReferenceField { ReferenceField(text: "*") { _ in true } }

    /// A star, or a step, a range or a list of values.
    static func values(
        _ bounds: ClosedRange<Int>,
        _ value: @escaping (ReferenceClock.Reading) -> Int,
        using random: inout some RandomNumberGenerator
    ) -> ReferenceField {
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
            return .any
        case 2:
            let step = Int.random(in: 1..<bounds.count, using: &random)
            return ReferenceField(text: "*/\(step)") { (value($0) - bounds.lowerBound).isMultiple(of: step) }
        case 3:
            let ends = [Int.random(in: bounds, using: &random), Int.random(in: bounds, using: &random)]
            let isWrapped = ends[0] > ends[1]
            return ReferenceField(text: "\(ends[0])-\(ends[1])") {
                let value = value($0)
                return isWrapped ? value >= ends[0] || value <= ends[1] : (ends[0]...ends[1]).contains(value)
            }
        case 4:
            let first = Int.random(in: bounds, using: &random)
            let step = Int.random(in: 1..<bounds.count, using: &random)
            return ReferenceField(text: "\(first)/\(step)") {
                value($0) >= first && (value($0) - first).isMultiple(of: step)
            }
        default:
            let values = (0..<3).map { _ in Int.random(in: bounds, using: &random) }
            return ReferenceField(text: values.map(String.init).joined(separator: ",")) { values.contains(value($0)) }
        }
    }

    /// Days of the month, with those that depend on the month.
    static func monthDays(using random: inout some RandomNumberGenerator) -> ReferenceField {
        let date = Int.random(in: 1...31, using: &random)
        switch Int.random(in: 0..<9, using: &random) {
        case 0: return ReferenceField(text: "?") { _ in true }
        case 1: return ReferenceField(text: "L") { $0.dayOfMonth == $0.daysInMonth }
        case 2: return ReferenceField(text: "L-\(date % 9 + 1)") { $0.dayOfMonth == $0.daysInMonth - date % 9 - 1 }
        case 3: return ReferenceField(text: "\(date)W") { Self.isWorkday($0, nearestTo: date) }
        case 4:
            return ReferenceField(text: "LW,\(date)") {
                $0.dayOfMonth == date || Self.isWorkday($0, nearestTo: $0.daysInMonth)
            }
        default: return .values(1...31, \.dayOfMonth, using: &random)
        }
    }

    /// Days of the week, with those that are counted in the month.
    static func weekDays(using random: inout some RandomNumberGenerator) -> ReferenceField {
        let day = Int.random(in: 0...6, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return ReferenceField(text: "?") { _ in true }
        case 1: return ReferenceField(text: "\(day)L") { $0.dayOfWeek == day && $0.dayOfMonth + 7 > $0.daysInMonth }
        case 2:
            let week = Int.random(in: 1...5, using: &random)
            return ReferenceField(text: "\(day)#\(week)") {
                $0.dayOfWeek == day && (7 * week - 6...7 * week).contains($0.dayOfMonth)
            }
        default: return .values(0...6, \.dayOfWeek, using: &random)
        }
    }

    /// Whether a reading is of the workday that is nearest to a date of its month, found by looking at all of them.
    private static func isWorkday(_ reading: ReferenceClock.Reading, nearestTo date: Int) -> Bool {
        guard date <= reading.daysInMonth else { return false }
        let workdays = (1...reading.daysInMonth).filter { day in
            let dayOfWeek = (reading.dayOfWeek + 35 + day - reading.dayOfMonth) % 7
            return (1...5).contains(dayOfWeek)
        }
        return workdays.min { abs($0 - date) < abs($1 - date) } == reading.dayOfMonth
    }
}
