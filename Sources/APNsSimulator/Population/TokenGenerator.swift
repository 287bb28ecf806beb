// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Device tokens by computation: a keyed permutation of a number, and a check part that only the key gives.
///
/// A token is recognised, and its number found, without a table. Tokens look random; this keeps no secrets.
struct TokenGenerator: Sendable, Codable, Hashable {
    private let keys: [UInt64]

    /// How many bytes the token of a Live Activity has.
    static let longTokenBytes = 80

    init(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        self.keys = (0..<8).map { _ in generator.next() }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self.keys = try container.decode([UInt64].self)
        guard self.keys.count == 8 else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected 8 keys")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.keys)
    }

    func token(_ number: UInt64) -> StandardToken {
        let (second, third, fourth) = self.check(number)
        return StandardToken(words: (self.permute(number), second, third, fourth))
    }

    /// The number of a token; `nil` for one that was not created with this key.
    func number(_ token: StandardToken) -> UInt64? {
        let number = self.unpermute(token.words.0)
        let (second, third, fourth) = self.check(number)
        return token.words == (token.words.0, second, third, fourth) ? number : nil
    }

    /// A token of 80 bytes, which begins as the usual one does.
    func longToken(_ number: UInt64) -> [UInt8] {
        let standard = self.token(number)
        var generator = SplitMix64(seed: standard.words.3)
        var bytes = standard.bytes
        while bytes.count < Self.longTokenBytes {
            let word = generator.next()
            for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
        }
        return bytes
    }

    /// The number of a token of 80 bytes.
    func number(longToken bytes: [UInt8]) -> UInt64? {
        guard bytes.count == Self.longTokenBytes, let standard = StandardToken(bytes: Array(bytes.prefix(32))),
            let number = self.number(standard), self.longToken(number) == bytes
        else { return nil }
        return number
    }

    /// A number that spreads evenly and that is always the same for the same input.
    func dice(_ number: UInt64) -> Double {
        Double(Self.mix(self.keys[7] ^ number) >> 11) * 0x1p-53
    }

    private func check(_ number: UInt64) -> (UInt64, UInt64, UInt64) {
        let second = Self.mix(number ^ self.keys[4])
        let third = Self.mix(second &+ self.keys[5])
        return (second, third, Self.mix(third ^ self.keys[6]))
    }

    /// Four rounds of a Feistel network on halves of 32 bits.
    private func permute(_ number: UInt64) -> UInt64 {
        var (left, right) = (UInt32(truncatingIfNeeded: number >> 32), UInt32(truncatingIfNeeded: number))
        for round in 0..<4 { (left, right) = (right, left ^ self.round(right, self.keys[round])) }
        return UInt64(left) << 32 | UInt64(right)
    }

    private func unpermute(_ permuted: UInt64) -> UInt64 {
        var (left, right) = (UInt32(truncatingIfNeeded: permuted >> 32), UInt32(truncatingIfNeeded: permuted))
        for round in (0..<4).reversed() { (left, right) = (right ^ self.round(left, self.keys[round]), left) }
        return UInt64(left) << 32 | UInt64(right)
    }

    private func round(_ half: UInt32, _ key: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: Self.mix(key ^ UInt64(half)) >> 32)
    }

    /// The finaliser of SplitMix64.
    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
