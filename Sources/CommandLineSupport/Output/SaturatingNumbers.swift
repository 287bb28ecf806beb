// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Arithmetic on numbers of a server, which may be of another version or not mean well: no input traps.
extension Int {
    /// The nearest whole number; 0 for what is no number.
    package init(saturating number: Double) {
        let rounded = number.rounded()
        self = Int(exactly: rounded) ?? (rounded > 0 ? .max : rounded < 0 ? .min : 0)
    }

    /// The sum, or the nearest number to it.
    package static func saturatingSum(_ left: Int, _ right: Int) -> Int {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? (right > 0 ? .max : .min) : sum
    }

    /// What is left of a number without another one, or the nearest number to it.
    package static func saturatingDifference(_ left: Int, _ right: Int) -> Int {
        let (difference, overflow) = left.subtractingReportingOverflow(right)
        return overflow ? (right > 0 ? .min : .max) : difference
    }
}

extension Sequence<Int> {
    /// The sum of all elements, or the nearest number to it.
    package var saturatingSum: Int { self.reduce(0, Int.saturatingSum) }
}
