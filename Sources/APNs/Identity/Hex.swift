// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Hexadecimal digits in and out, over UTF-8 bytes and without intermediate strings.
enum Hex {
    /// What ``nibble(_:)`` answers for a byte that is no hexadecimal digit.
    static let invalid: UInt8 = 0xFF

    private static let digits: StaticString = "0123456789abcdef"

    /// The value of one digit in upper or lower case, 0...15, or ``invalid``.
    @inline(__always)
    static func nibble(_ digit: UInt8) -> UInt8 {
        let decimal = digit &- UInt8(ascii: "0")
        let letter = (digit | 0x20) &- UInt8(ascii: "a")
        return decimal < 10 ? decimal : letter < 6 ? letter &+ 10 : self.invalid
    }

    /// Writes two lower-case digits for each byte; `output` has room for `2 * bytes.count`.
    static func write(_ bytes: UnsafeBufferPointer<UInt8>, into output: UnsafeMutablePointer<UInt8>) {
        let digits = self.digits.utf8Start
        for index in 0..<bytes.count {
            let byte = bytes[index]
            output[2 &* index] = digits[Int(byte >> 4)]
            output[2 &* index &+ 1] = digits[Int(byte & 0x0F)]
        }
    }

    /// The bytes that an even number of digits stands for, or nil if the count is odd or a digit is none.
    static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var isHex = false
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 2) { output, count in
            isHex = self.decode(text, into: output)
            count = text.count / 2
        }
        return isHex ? bytes : nil
    }

    /// Writes the bytes that an even number of digits stands for; `output` has room for half as many.
    ///
    /// - Returns: whether all were digits.
    static func decode(_ text: UnsafeBufferPointer<UInt8>, into output: UnsafeMutableBufferPointer<UInt8>) -> Bool {
        var seen: UInt8 = 0
        for index in 0..<text.count / 2 {
            let high = self.nibble(text[2 &* index])
            let low = self.nibble(text[2 &* index &+ 1])
            seen |= high | low
            output.initializeElement(at: index, to: (high << 4) | (low & 0x0F))
        }
        return seen & 0xF0 == 0
    }
}
