// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// Numbers from requests, files and rows may have any value. Results of calculations with them are limited to the range
// of the type, because an overflow would stop the process.

extension FixedWidthInteger {
    /// The sum, or the bound of the type that is nearest to it.
    package func addingClamping(_ other: Self) -> Self {
        let (sum, isOverflow) = self.addingReportingOverflow(other)
        return isOverflow ? (other < 0 ? .min : .max) : sum
    }

    /// Adds a number, up to the bound of the type.
    package mutating func add(clamping other: Self) { self = self.addingClamping(other) }

    /// The difference, or the bound of the type that is nearest to it.
    package func subtractingClamping(_ other: Self) -> Self {
        let (difference, isOverflow) = self.subtractingReportingOverflow(other)
        return isOverflow ? (other < 0 ? .max : .min) : difference
    }

    /// The product, or the bound of the type that is nearest to it.
    package func multipliedClamping(by other: Self) -> Self {
        let (product, isOverflow) = self.multipliedReportingOverflow(by: other)
        return isOverflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }
}

extension Int64 {
    /// The whole part of a number, or the bound of the type that is nearest to it; 0 for NaN.
    package init(clamping number: Double) {
        if number >= 0x1p63 {
            self = .max
        } else if number >= -0x1p63 {
            // Cannot trap: the number lies in the range of the type.
            self = Int64(number)
        } else {
            self = number.isNaN ? 0 : .min
        }
    }
}

/// The years 1 to 9999: the times that a calendar with four digits for the year can write.
package enum FourDigitYears {
    /// The first second of the year 1, counted from 1970.
    package static let first: Int64 = -62_135_596_800

    /// The last second of the year 9999, counted from 1970.
    package static let last: Int64 = 253_402_300_799

    /// A time in seconds since 1970, rounded down, or the bound of these years that is nearest to it; 0 for NaN.
    package static func clamp(_ seconds: Double) -> Int64 {
        min(max(Int64(clamping: seconds.rounded(.down)), self.first), self.last)
    }
}

extension Int {
    /// The whole part of a number, or the bound of the type that is nearest to it; 0 for NaN.
    package init(clamping number: Double) { self = Int(clamping: Int64(clamping: number)) }
}

extension Sequence<Int> {
    /// The sum of all elements, or the bound of the type that is nearest to it.
    package var clampingSum: Int { self.reduce(0) { $0.addingClamping($1) } }
}
