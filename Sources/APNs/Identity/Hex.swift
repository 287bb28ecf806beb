// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Encodes and decodes hexadecimal digits, as UTF-8 bytes without intermediate strings.
package enum Hex {
    /// The result of ``nibble(_:acceptsUpperCase:)`` for a byte that is not a hexadecimal digit.
    @inlinable package static var invalid: UInt8 { 0xFF }

    private static let digits: StaticString = "0123456789abcdef"

    /// The value of one digit, 0...15, or ``invalid``.
    @inlinable
    @inline(__always)
    package static func nibble(_ digit: UInt8, acceptsUpperCase: Bool = true) -> UInt8 {
        let decimal = digit &- UInt8(ascii: "0")
        let letter = (acceptsUpperCase ? digit | 0x20 : digit) &- UInt8(ascii: "a")
        return decimal < 10 ? decimal : letter < 6 ? letter &+ 10 : self.invalid
    }

    /// Two lower-case digits for each byte.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        Array(bytes).withUnsafeBufferPointer { bytes in
            String(unsafeUninitializedCapacity: 2 * bytes.count) { output in
                if let start = output.baseAddress { self.write(bytes, into: start) }
                return 2 * bytes.count
            }
        }
    }

    /// Writes two lower-case digits for each byte; `output` has a capacity of `2 * bytes.count`.
    package static func write(_ bytes: UnsafeBufferPointer<UInt8>, into output: UnsafeMutablePointer<UInt8>) {
        let digits = self.digits.utf8Start
        for index in 0..<bytes.count {
            let byte = bytes[index]
            output[2 &* index] = digits[Int(byte >> 4)]
            output[2 &* index &+ 1] = digits[Int(byte & 0x0F)]
        }
    }

    /// Decodes an even number of digits; `nil` for anything else.
    package static func bytes(_ digits: some Collection<UInt8>, acceptsUpperCase: Bool = true) -> [UInt8]? {
        let nibbles = digits.map { self.nibble($0, acceptsUpperCase: acceptsUpperCase) }
        guard nibbles.count.isMultiple(of: 2), !nibbles.contains(self.invalid) else { return nil }
        return stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }

    /// Decodes an even number of digits; nil if the count is odd or a byte is not a digit.
    static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var isHex = false
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 2) { output, count in
            isHex = self.decode(text, into: output)
            count = text.count / 2
        }
        return isHex ? bytes : nil
    }

    /// Decodes an even number of digits; `output` has a capacity of half as many bytes.
    ///
    /// - Returns: whether all bytes were digits.
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
