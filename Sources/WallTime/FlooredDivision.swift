// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension FixedWidthInteger {
    /// Quotient and remainder of a division that rounds down: the remainder is in `0..<divisor`, before 1970 as well.
    package func flooredDivision(by divisor: Self) -> (quotient: Self, remainder: Self) {
        let (quotient, remainder) = self.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
