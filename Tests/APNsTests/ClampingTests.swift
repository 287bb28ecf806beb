// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Testing

@Suite("Arithmetic that ends at the bounds of its type")
struct ClampingTests {
    @Test(
        "a number becomes its whole part, or the nearest bound",
        arguments: [
            (0.9, 0), (-0.9, 0), (1e300, .max), (-1e300, .min), (.infinity, .max), (-.infinity, .min), (.nan, 0),
            (0x1p63, .max), (-0x1p63, .min), (0x1p63.nextDown, 9_223_372_036_854_774_784),
            ((-0x1p63).nextDown, .min), (-1_770_000_000_123, -1_770_000_000_123),
        ] as [(Double, Int64)]
    )
    func numbers(number: Double, whole: Int64) {
        #expect(Int64(clamping: number) == whole)
        #expect(Int(clamping: number) == Int(whole))
    }

    @Test("sums, differences and products stop at the bounds")
    func sums() {
        #expect(Int.max.addingClamping(1) == .max)
        #expect(Int.min.addingClamping(-1) == .min)
        #expect(Int64(3).addingClamping(-5) == -2)
        #expect(Int.min.subtractingClamping(1) == .min)
        #expect(Int64(0).subtractingClamping(.min) == .max)
        #expect(3.subtractingClamping(5) == -2)
        #expect(Int.max.multipliedClamping(by: 2) == .max)
        #expect(Int.min.multipliedClamping(by: 2) == .min)
        #expect(UInt32(6).multipliedClamping(by: 7) == 42)
    }

    @Test("a time becomes a whole second of the years 1 to 9999")
    func years() {
        #expect(FourDigitYears.clamp(-0.5) == -1)
        #expect(FourDigitYears.clamp(-.infinity) == FourDigitYears.first)
        #expect(FourDigitYears.clamp(1e300) == FourDigitYears.last)
        #expect(FourDigitYears.clamp(.nan) == 0)
    }
}
