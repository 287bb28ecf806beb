// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import APNsSimulator

@Suite("Token cipher")
struct TokenCipherTests {
    private let cipher = TokenGenerator(seed: 1)

    @Test("a token leads back to its number", arguments: [0, 1, 999_999, UInt64(UInt32.max) + 1, .max] as [UInt64])
    func roundTrip(number: UInt64) {
        #expect(self.cipher.number(self.cipher.token(number)) == number)
        #expect(self.cipher.number(longToken: self.cipher.longToken(number)) == number)
        #expect(self.cipher.longToken(number).count == 80)
    }

    @Test("a token with one bit changed is none")
    func changed() throws {
        let bytes = self.cipher.token(42).bytes
        for bit in 0..<256 {
            var other = bytes
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(self.cipher.number(try #require(StandardToken(bytes: other))) == nil)
        }
        var long = self.cipher.longToken(42)
        long[79] ^= 1
        #expect(self.cipher.number(longToken: long) == nil)
    }

    @Test("another seed has other tokens")
    func seeds() {
        #expect(TokenGenerator(seed: 2).number(self.cipher.token(42)) == nil)
        #expect(TokenGenerator(seed: 1).token(42) == self.cipher.token(42))
    }

    @Test("numbers in a row have tokens that differ")
    func distinct() {
        #expect(Set((0..<10_000).map { self.cipher.token($0) }).count == 10_000)
        #expect(Set((0..<10_000).map { self.cipher.token($0).words.0 >> 48 }).count > 8000)
    }
}
