// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

extension CronField {
    /// The terms of a list.
    func terms(of text: Substring) throws(ValidationFailure) -> [Substring] {
        let terms = text.split(separator: ",", omittingEmptySubsequences: false)
        guard !terms.contains(where: \.isEmpty) else {
            throw self.failure("a value on both sides of each comma", text)
        }
        return terms
    }

    /// The values of one term: `*`, `5`, `MON-FRI`, `*/15`, `8-18/2`, or `10/20`, which is `10-59/20` of minutes.
    ///
    /// A range whose end lies before its beginning goes on behind the greatest value: `22-2` of hours is `22,23,0,1,2`.
    func values(of term: Substring) throws(ValidationFailure) -> ValueSet {
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
    func number(_ text: Substring, in term: Substring) throws(ValidationFailure) -> Int {
        if let index = self.names.firstIndex(where: { $0 == text }) { return index + self.lowest }
        guard let number = Self.digits(text), (self.lowest...self.highestNumber).contains(number) else {
            throw self.failure(term)
        }
        return number
    }

    /// The value that a number stands for, counted on behind the greatest: 7 is Sunday, hour 25 is 1.
    func value(at number: Int) -> Int { self.lowest + (number - self.lowest) % self.count }

    /// One or two digits.
    static func digits(_ text: Substring) -> Int? {
        guard (1...2).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }

    private func step(_ text: Substring, in term: Substring) throws(ValidationFailure) -> Int {
        guard let step = Self.digits(text), (1..<self.count).contains(step) else {
            throw self.failure("a step of 1...\(self.count - 1) behind the slash", term)
        }
        return step
    }
}
