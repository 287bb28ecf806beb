// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import Testing

@Suite("The data key")
struct DataKeyTests {
    /// The bytes with which stored values begin that are not plain.
    private static let mark: [UInt8] = [0xA7, 0xC1, 0x5E, 0x03, 0x9D, 0xE8, 0x71]

    private let key: DataKey
    private let token = (0..<32).map { UInt8($0) }

    init() throws { self.key = try #require(DataKey(bytes: DataKey.generate())) }

    @Test("has 32 bytes", arguments: [0, 31, 33])
    func sizes(count: Int) { #expect(DataKey(bytes: Array(repeating: 1, count: count)) == nil) }

    @Test("seals and opens tokens and contents of any size", arguments: [0, 1, 32, 100, 340_000])
    func roundTrip(count: Int) throws {
        let clear = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        for sealed in [StoredContent.token(clear, under: self.key), StoredContent.bytes(clear, under: self.key)] {
            #expect(StoredContent.isSealed(sealed))
            #expect(sealed.count == clear.count + 36)
            #expect(try StoredContent.open(sealed, under: self.key) == clear)
        }
    }

    @Test("seals and opens texts", arguments: ["", "{}", #"{"a":"寿司"}"#, "sealed:", "sealed:AAAA"])
    func texts(text: String) throws {
        let sealed = StoredContent.text(text, under: self.key)
        #expect(StoredContent.isSealed(sealed))
        #expect(try StoredContent.open(sealed, under: self.key) == text)
        let plain = StoredContent.text(text, under: nil)
        #expect(!StoredContent.isSealed(plain))
        #expect(try StoredContent.open(plain, under: self.key) == text)
    }

    @Test("seals equal tokens to equal bytes, other tokens to others, and equal contents to others")
    func determinism() {
        let sealed = StoredContent.token(self.token, under: self.key)
        #expect(StoredContent.token(self.token, under: self.key) == sealed)
        #expect(StoredContent.token(self.token.reversed(), under: self.key) != sealed)
        #expect(StoredContent.bytes(self.token, under: self.key) != StoredContent.bytes(self.token, under: self.key))
        #expect(StoredContent.text("{}", under: self.key) != StoredContent.text("{}", under: self.key))
    }

    @Test("leaves values plain without a key, and never takes a plain value for a sealed one")
    func plain() throws {
        #expect(StoredContent.token(self.token, under: nil) == self.token)
        #expect(StoredContent.text("{}", under: nil) == "{}")
        let sealed = StoredContent.token(self.token, under: self.key)
        let others = [Self.mark, Self.mark + [0], Self.mark + [1], Self.mark + self.token, sealed]
        for clear in others {
            for stored in [StoredContent.token(clear, under: nil), StoredContent.bytes(clear, under: nil)] {
                #expect(!StoredContent.isSealed(stored))
                #expect(try StoredContent.open(stored, under: nil) == clear)
                #expect(try StoredContent.open(stored, under: self.key) == clear)
            }
            let again = StoredContent.token(clear, under: self.key)
            #expect(try StoredContent.open(again, under: self.key) == clear)
        }
    }

    @Test("opens nothing under another key, after a change, or in an unknown form")
    func damaged() throws {
        let other = try #require(DataKey(bytes: DataKey.generate()))
        let sealed = StoredContent.token(self.token, under: self.key)
        #expect(throws: DataKeyError.cannotOpen) { try StoredContent.open(sealed, under: other) }
        #expect(throws: DataKeyError.missing) { try StoredContent.open(sealed, under: nil) }
        for index in sealed.indices.dropFirst(Self.mark.count) {
            var changed = sealed
            changed[index] ^= 0x40
            #expect(throws: DataKeyError.cannotOpen, "byte \(index)") {
                try StoredContent.open(changed, under: self.key)
            }
        }
        for count in Self.mark.count..<sealed.count {
            #expect(throws: DataKeyError.cannotOpen, "\(count) bytes") {
                try StoredContent.open(Array(sealed.prefix(count)), under: self.key)
            }
        }
        // The form is authenticated too: a token is no content.
        var content = sealed
        content[Self.mark.count] = 2
        #expect(throws: DataKeyError.cannotOpen) { try StoredContent.open(content, under: self.key) }
        for text in ["sealed:", "sealed:!", "sealed:AAAA"] {
            #expect(throws: DataKeyError.cannotOpen) { try StoredContent.open(text, under: self.key) }
        }
    }

    @Test("is sealed under the master key, and again by a rotation of it, without a change of sealed values")
    func rotation() throws {
        let (former, next) = (MasterKey.generate(), MasterKey.generate())
        let bytes = DataKey.generate()
        let sealedKey = former.seal(dataKey: bytes)
        let token = StoredContent.token(self.token, under: try former.dataKey(sealedKey))
        let resealed = try #require(try former.succeeded(by: next).reseal(sealedKey, of: .dataKey))
        #expect(try StoredContent.open(token, under: next.dataKey(resealed)) == self.token)
        #expect(throws: MasterKeyError.self) { try former.dataKey(resealed) }
        let again = try former.dataKey(sealedKey)
        #expect("\(again)" == "data key (redacted)")
    }
}
