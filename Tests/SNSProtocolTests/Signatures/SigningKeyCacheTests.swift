// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Testing

@testable import SNSProtocol

@Suite("The cache of signing keys")
struct SigningKeyCacheTests {
    private static func scope(_ number: Int) -> CredentialScope {
        CredentialScope(accessKeyID: "AKID\(number)", day: "20260228", region: "us-east-1", service: "sns")
    }

    @Test("never more keys are kept than there is room, and those in use stay")
    func bounded() {
        let cache = SigningKeyCache(capacity: 8)
        let key = SigningKey(secret: "s", scope: Self.scope(0))
        cache.keep(key, for: Self.scope(0), secret: "s")
        for number in 1...100 {
            cache.keep(key, for: Self.scope(number), secret: "s")
            #expect(cache.count <= 8)
            #expect(cache.key(for: Self.scope(number), secret: "s") != nil)
            #expect(cache.key(for: Self.scope(0), secret: "s") != nil)
        }
        #expect(cache.key(for: Self.scope(50), secret: "s") == nil)
    }

    @Test("a key of a secret that was replaced is not used")
    func replaced() {
        let cache = SigningKeyCache(capacity: 8)
        cache.keep(SigningKey(secret: "old", scope: Self.scope(1)), for: Self.scope(1), secret: "old")
        #expect(cache.key(for: Self.scope(1), secret: "new") == nil)
        #expect(cache.key(for: Self.scope(1), secret: "old") != nil)
    }
}
