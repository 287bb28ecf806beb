// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import Synchronization
import Testing

@Suite("The master key")
struct MasterKeyTests {
    private let material = CredentialMaterial(content: Array("-----BEGIN PRIVATE KEY-----".utf8))

    @Test("a credential is sealed and opened", arguments: [nil, "", "p4ß", String(repeating: "x", count: 300)])
    func roundTrip(password: String?) throws {
        let key = MasterKey.generate()
        let material = CredentialMaterial(content: [0, 255, 1], password: password)
        let sealed = key.seal(material, for: "apns")
        #expect(try key.open(sealed, for: "apns") == material)
        #expect(key.seal(material, for: "apns") != sealed)
    }

    @Test("the written form makes the same key again, with white space around it")
    func written() throws {
        let key = MasterKey.generate()
        let sealed = key.seal(self.material, for: "apns")
        let again = try MasterKey(base64: " \(key.base64)\n")
        #expect(try again.open(sealed, for: "apns") == self.material)
    }

    @Test(
        "what is not Base64 of 32 bytes is refused, saying how to make a key",
        arguments: ["", "no base64!", Data(count: 31).base64EncodedString(), Data(count: 33).base64EncodedString()]
    )
    func malformed(text: String) {
        let error = #expect(throws: MasterKeyError.self) { try MasterKey(base64: text) }
        #expect(error?.code == .malformed)
        #expect(error?.message.contains("openssl rand -base64 32") == true)
        #expect(text.isEmpty || error?.message.contains(text) == false)
    }

    @Test("another key, another credential and changed bytes open nothing")
    func cannotOpen() {
        let key = MasterKey.generate()
        let sealed = key.seal(self.material, for: "apns")
        var changed = sealed
        changed[20] ^= 1
        let attempts: [(MasterKey, [UInt8], CredentialID)] = [
            (.generate(), sealed, "apns"), (key, sealed, "other"), (key, changed, "apns"), (key, [], "apns"),
            (key, Array(sealed.dropLast()), "apns"),
        ]
        for (key, bytes, credential) in attempts {
            let error = #expect(throws: MasterKeyError.self) { try key.open(bytes, for: credential) }
            #expect(error?.code == .cannotOpen)
        }
    }

    @Test("an id has 8 hexadecimal digits, follows from the key, and stands in the error of a key that opens nothing")
    func id() throws {
        let key = MasterKey.generate()
        #expect(key.id.count == 8)
        #expect(key.id.allSatisfy { "0123456789abcdef".contains($0) })
        #expect(try MasterKey(base64: key.base64).id == key.id)
        #expect(MasterKey.generate().id != key.id)
        let error = #expect(throws: MasterKeyError.self) { try key.open([1], for: "apns") }
        #expect(error?.message.contains(key.id) == true)
    }

    @Test("the ids of keys do not change between versions")
    func fixedID() throws {
        #expect(try MasterKey(base64: Data(count: 32).base64EncodedString()).id == "cef12cb4")
    }

    @Test("of several keys the first one seals, and all of them open", arguments: ["\n", " ", "\r\n\r\n"])
    func severalKeys(separator: String) throws {
        let old = MasterKey.generate()
        let new = MasterKey.generate()
        let both = try MasterKey(base64: "\(new.base64)\(separator)\(old.base64)\n")
        #expect(both.ids == [new.id, old.id])
        #expect(both.base64 == "\(new.base64)\n\(old.base64)")
        #expect(try both.open(old.seal(self.material, for: "apns"), for: "apns") == self.material)
        #expect(try new.open(both.seal(self.material, for: "apns"), for: "apns") == self.material)
        #expect(throws: MasterKeyError.self) { try old.open(both.seal(self.material, for: "apns"), for: "apns") }
        #expect(both.derivedKeys(for: "a") == new.derivedKeys(for: "a") + old.derivedKeys(for: "a"))
        #expect(both.alone.ids == [new.id])
        #expect(old.succeeded(by: new).base64 == both.base64)
    }

    @Test("a key that is given twice counts once, and one malformed key makes all of them malformed")
    func doubtfulKeys() throws {
        let key = MasterKey.generate()
        #expect(try MasterKey(base64: "\(key.base64)\n\(key.base64)").ids == [key.id])
        let error = #expect(throws: MasterKeyError.self) { try MasterKey(base64: "\(key.base64)\nshort") }
        #expect(error?.code == .malformed)
    }

    @Test("every kind of item is sealed again under the first key, once, and stays its own")
    func reseal() throws {
        let old = MasterKey.generate()
        let both = old.succeeded(by: .generate())
        let new = both.alone
        let secret = WebhookSecret.generate()
        let sealed: [(SealedItem, [UInt8])] = [
            (.credential("apns"), old.seal(self.material, for: "apns")),
            (.webhook("wh_1"), old.seal(secret, for: "wh_1")),
            (.signingSecret("0123"), old.seal(SigningSecret.generate(), for: "0123")),
            (.deliveryIdentity, old.seal(deliveryKey: "PEM")),
        ]
        for (item, bytes) in sealed {
            let again = try #require(try both.reseal(bytes, of: item), "\(item)")
            #expect(again != bytes, "\(item)")
            #expect(try both.reseal(again, of: item) == nil, "\(item)")
            #expect(try new.reseal(again, of: item) == nil, "\(item)")
            let error = #expect(throws: MasterKeyError.self) { try new.reseal(bytes, of: item) }
            #expect(error?.code == .cannotOpen, "\(item)")
            #expect(throws: MasterKeyError.self) { try both.reseal(bytes, of: .webhook("wh_2")) }
        }
        let credential = try #require(try both.reseal(sealed[0].1, of: .credential("apns")))
        #expect(try new.open(credential, for: "apns") == self.material)
    }

    @Test("a key that follows its source asks it before it seals, and when nothing opens, but not while opening works")
    func following() throws {
        let old = MasterKey.generate()
        let new = MasterKey.generate()
        let sealed = old.seal(self.material, for: "apns")
        let source = FakeSource()
        let key = old.following { source.reload() }
        #expect(try key.open(sealed, for: "apns") == self.material)
        #expect(source.count == 0)

        source.change(to: old.succeeded(by: new))
        #expect(try new.open(key.seal(self.material, for: "apns"), for: "apns") == self.material)
        #expect(source.count == 1)
        #expect(key.ids == [new.id, old.id])

        let newest = MasterKey.generate()
        source.change(to: newest)
        #expect(try key.open(newest.seal(self.material, for: "apns"), for: "apns") == self.material)
        #expect(source.count == 2)
        // It may have read this before it was sealed again.
        #expect(try key.open(sealed, for: "apns") == self.material)
        #expect(key.id == newest.id)
        #expect(source.count == 2)
        #expect(throws: MasterKeyError.self) { try key.open([1], for: "apns") }
        #expect(source.count == 3)
    }

    @Test("neither a key nor material shows itself in a description")
    func redaction() {
        let key = MasterKey.generate()
        #expect(!"\(key) \(String(reflecting: key))".contains(key.base64))
        #expect(!"\(self.material) \(String(reflecting: self.material))".contains("PRIVATE"))
    }
}

/// A source of keys that tells once of every change.
private final class FakeSource: Sendable {
    private let state = Mutex<(next: MasterKey?, count: Int)>((nil, 0))

    /// How often it was asked.
    var count: Int { self.state.withLock { $0.count } }

    func change(to key: MasterKey) { self.state.withLock { $0.next = key } }

    func reload() -> MasterKey? {
        self.state.withLock { state in
            state.count += 1
            defer { state.next = nil }
            return state.next
        }
    }
}
