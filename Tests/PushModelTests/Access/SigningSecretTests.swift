// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import Testing

@Suite("What signs requests to the SNS endpoint", .timeLimit(.minutes(20)))
struct SigningSecretTests {
    private static func key(_ id: APIKeyID, _ sealed: [UInt8]?) -> APIKey {
        APIKey(
            id: id,
            name: "worker",
            scopes: [.send],
            secretHash: [],
            sealedSigningSecret: sealed,
            createdAt: Date(timeIntervalSince1970: 0)
        )
    }

    @Test("opens for its own key and under its own master key only")
    func sealed() throws {
        let masterKey = MasterKey.generate()
        let secret = SigningSecret.generate()
        let sealed = masterKey.seal(secret, for: "0123456789abcdef")
        #expect(try masterKey.signingSecret(of: Self.key("0123456789abcdef", sealed)) == secret)
        #expect(try masterKey.signingSecret(of: Self.key("0123456789abcdef", nil)) == nil)
        #expect(throws: MasterKeyError.self) { try masterKey.signingSecret(of: Self.key("other", sealed)) }
        #expect(throws: MasterKeyError.self) {
            try MasterKey.generate().signingSecret(of: Self.key("0123456789abcdef", sealed))
        }
    }

    @Test("is as long as those of AWS, drawn anew each time, and shown to no log")
    func form() {
        let secret = SigningSecret.generate()
        #expect(secret.text.utf8.count == 40)
        #expect(secret != SigningSecret.generate())
        #expect(!"\(secret)".contains(secret.text))
        #expect(!String(reflecting: secret).contains(secret.text))
    }

    @Test("belongs to an access key id that leads back to the key")
    func accessKeyID() {
        let key: APIKeyID = "0123456789abcdef"
        #expect(key.accessKeyID == "APUS0123456789ABCDEF")
        #expect(APIKeyID(accessKeyID: "APUS0123456789ABCDEF") == key)
        for text in ["APUS", "AKIAIOSFODNN7EXAMPLE", "APUS0123456789abcdef", "apus0123456789abcdef", ""] {
            #expect(APIKeyID(accessKeyID: text) == nil, "\(text)")
        }
    }

    @Test("is not the only key that a master key gives: each purpose has another one")
    func derivedKeys() {
        let masterKey = MasterKey.generate()
        #expect(masterKey.derivedKeys(for: "a") == masterKey.derivedKeys(for: "a"))
        #expect(masterKey.derivedKeys(for: "a") != masterKey.derivedKeys(for: "b"))
        #expect(masterKey.derivedKeys(for: "a") != MasterKey.generate().derivedKeys(for: "a"))
        #expect(masterKey.derivedKeys(for: "a").map(\.count) == [32])
    }
}
