// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The values of a field that is no day: seconds, minutes, hours or months.
struct TimeField: Hashable, Sendable {
    let values: ValueSet
    /// Whether it says how often rather than when: it begins with `*`, or goes on in steps without an end, as `0/15`.
    let isOpen: Bool

    init(_ text: Substring, of field: CronField) throws(ValidationFailure) {
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
