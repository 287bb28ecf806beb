// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import Testing

@testable import PushAPI

@Suite("The cache of signing secrets")
struct SigningSecretCacheTests {
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

    @Test("a kept secret counts only for the sealed bytes from which it was opened")
    func replaced() throws {
        let masterKey = MasterKey.generate()
        let cache = SigningSecretCache(masterKey)
        for secret in [SigningSecret.generate(), .generate()] {
            let sealed = masterKey.seal(secret, for: "key")
            for _ in 0..<2 { #expect(try cache.secret(of: Self.key("key", sealed)) == secret) }
            #expect(throws: MasterKeyError.self) { try cache.secret(of: Self.key("other", sealed)) }
            #expect(throws: MasterKeyError.self) { try cache.secret(of: Self.key("key", sealed + [0])) }
            #expect(try cache.secret(of: Self.key("key", nil)) == nil)
        }
    }

    @Test("more keys than the cache holds all have their secrets")
    func bounded() throws {
        let masterKey = MasterKey.generate()
        let cache = SigningSecretCache(masterKey)
        let secret = SigningSecret.generate()
        for number in 0...SigningSecretCache.capacity {
            let id = APIKeyID(unchecked: "key\(number)")
            #expect(try cache.secret(of: Self.key(id, masterKey.seal(secret, for: id))) == secret)
        }
    }
}
