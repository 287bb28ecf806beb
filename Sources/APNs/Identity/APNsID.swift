// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The identity of one notification: the UUID of the `apns-id` header.
///
/// Kept as two integers so that ids can be made, compared and written without allocating.
public struct APNsID: Hashable, Sendable {
    /// How many ASCII characters the canonical form has.
    public static let canonicalCount = 36

    /// The first 8 bytes, most significant first.
    public var high: UInt64
    /// The last 8 bytes, most significant first.
    public var low: UInt64

    /// An id of these 16 bytes.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A random id: version 4 of RFC 9562.
    public static func random(using generator: inout some RandomNumberGenerator) -> APNsID {
        let high = UInt64.random(in: .min ... .max, using: &generator)
        let low = UInt64.random(in: .min ... .max, using: &generator)
        return APNsID(
            high: (high & 0xFFFF_FFFF_FFFF_0FFF) | 0x0000_0000_0000_4000,
            low: (low & 0x3FFF_FFFF_FFFF_FFFF) | 0x8000_0000_0000_0000
        )
    }

    /// A random id from the system's generator.
    public static func random() -> APNsID {
        var generator = IdentifierRandomNumbers()
        return self.random(using: &generator)
    }
}

extension APNsID: Comparable {
    /// Orders ids as their canonical forms are ordered.
    public static func < (left: APNsID, right: APNsID) -> Bool {
        (left.high, left.low) < (right.high, right.low)
    }
}

extension APNsID {
    /// The id that a canonical UUID names: digits in groups of 8-4-4-4-12, in upper or lower case.
    ///
    /// Nil for everything else, such as a UUID without dashes. APNs itself is seen to answer in upper case.
    public init?(canonical: some StringProtocol) {
        var text = String(canonical)
        guard let id = text.withUTF8({ APNsID(canonicalUTF8: $0) }) else { return nil }
        self = id
    }

    /// The id that 36 ASCII characters in memory name; see ``init(canonical:)``.
    public init?(canonicalUTF8 text: UnsafeBufferPointer<UInt8>) {
        guard text.count == Self.canonicalCount else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for offset in 0..<Self.canonicalCount {
            let character = text[offset]
            if Self.isDash(offset) {
                guard character == UInt8(ascii: "-") else { return nil }
                continue
            }
            let value = Hex.nibble(character)
            guard value != Hex.invalid else { return nil }
            if digits < 16 { words.0 = words.0 << 4 | UInt64(value) } else { words.1 = words.1 << 4 | UInt64(value) }
            digits += 1
        }
        self.init(high: words.0, low: words.1)
    }

    /// Writes the canonical lower-case form, 36 ASCII bytes, to the start of `output`.
    ///
    /// Allocates nothing.
    ///
    /// `output` must have room for 36 bytes.
    public func write(into output: UnsafeMutableRawBufferPointer) {
        // Cannot trap: every caller makes room for 36 bytes.
        precondition(output.count >= Self.canonicalCount, "an apns-id needs 36 bytes, there are \(output.count)")
        let digits: StaticString = "0123456789abcdef"
        var word = self.high
        var left = 16
        for offset in 0..<Self.canonicalCount {
            if Self.isDash(offset) {
                output[offset] = UInt8(ascii: "-")
                continue
            }
            if left == 0 {
                word = self.low
                left = 16
            }
            output[offset] = digits.utf8Start[Int(word >> 60)]
            word <<= 4
            left -= 1
        }
    }

    private static func isDash(_ offset: Int) -> Bool { offset == 8 || offset == 13 || offset == 18 || offset == 23 }
}

extension APNsID: CustomStringConvertible {
    /// The canonical form in lower case.
    public var description: String {
        String(unsafeUninitializedCapacity: Self.canonicalCount) { output in
            self.write(into: UnsafeMutableRawBufferPointer(output))
            return Self.canonicalCount
        }
    }
}

extension APNsID: Codable {
    /// Reads an id from its canonical form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = APNsID(canonical: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected a canonical UUID")
        }
        self = id
    }

    /// Writes the canonical form in lower case.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.description)
    }
}
