// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
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

    @Test("neither a key nor material shows itself in a description")
    func redaction() {
        let key = MasterKey.generate()
        #expect(!"\(key) \(String(reflecting: key))".contains(key.base64))
        #expect(!"\(self.material) \(String(reflecting: self.material))".contains("PRIVATE"))
    }
}
