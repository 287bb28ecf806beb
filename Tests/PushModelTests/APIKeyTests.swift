// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import Testing

@Suite("API keys")
struct APIKeyTests {
    private let now = Date(timeIntervalSince1970: 1000)

    private func key(_ secret: APIKeySecret, scopes: Set<Scope> = [.send], app: AppID? = nil) -> APIKey {
        APIKey(id: secret.id, name: "test", scopes: scopes, app: app, secretHash: secret.hash, createdAt: self.now)
    }

    @Test("an ID has a code of the master key, which each of its keys verifies")
    func codes() throws {
        let (former, next) = (MasterKey.generate(), MasterKey.generate())
        let ids = (0..<100).map { _ in APIKeySecret.generate(codes: APIKeyIDCodes(former)).id }
        #expect(ids.allSatisfy { APIKeyID.isValid($0.rawValue) && $0.rawValue.count == 16 })
        #expect(Set(ids).count == 100)
        #expect(ids.allSatisfy(APIKeyIDCodes(former).verify))
        let rotated = try MasterKey(base64: "\(next.base64) \(former.base64)")
        #expect(ids.allSatisfy(APIKeyIDCodes(rotated).verify))
        #expect(ids.count(where: APIKeyIDCodes(next).verify) <= 1)
        #expect((0..<100).count { _ in APIKeyIDCodes(former).verify(APIKeySecret.generate().id) } <= 1)
        for text in ["a", "0123456789abcdefg", "zzzzzzzzzzzzzzzz", "0123456789ab", "0123456789abcdef01"] {
            #expect(!APIKeyIDCodes(former).verify(try #require(APIKeyID(rawValue: text))))
        }
    }

    @Test("a secret is written as apus_<id>_<secret> and read back")
    func text() throws {
        let secret = APIKeySecret.generate()
        let parts = secret.text.split(separator: "_")
        #expect(parts.count == 3)
        #expect(parts[0] == "apus")
        #expect(parts[1] == secret.id.rawValue)
        #expect(parts[2].count == 64)
        #expect(try #require(APIKeySecret(secret.text)) == secret)
    }

    @Test("no two secrets are alike")
    func distinct() {
        #expect(Set((0..<100).map { _ in APIKeySecret.generate().text }).count == 100)
    }

    @Test(
        "what is no API key is not read as one",
        arguments: [
            "", "apus", "apus_", "apus_a", "apus_a_", "apus_a_00", "Bearer x",
            "apus__" + String(repeating: "0", count: 64),
            "apus_a_" + String(repeating: "g", count: 64), "apus_a_" + String(repeating: "A", count: 64),
            "apus_a_b_" + String(repeating: "0", count: 64), "apus_a_" + String(repeating: "0", count: 63),
            "apus_a_" + String(repeating: "0", count: 66),
        ]
    )
    func malformed(text: String) {
        #expect(APIKeySecret(text) == nil)
    }

    @Test("the hash is the SHA-256 of the 32 secret bytes")
    func hash() throws {
        let secret = try #require(APIKeySecret("apus_a_" + String(repeating: "00", count: 32)))
        let expected = "66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"
        #expect(secret.hash.map { String(format: "%02x", $0) }.joined() == expected)
    }

    @Test("neither a description nor a dump shows the secret")
    func redaction() throws {
        let secret = APIKeySecret.generate()
        let hidden = try #require(secret.text.split(separator: "_").last)
        #expect(!"\(secret)".contains(hidden))
        #expect(!String(reflecting: secret).contains(hidden))
    }

    @Test("only the secret of a key opens it")
    func wrongSecret() throws {
        let secret = APIKeySecret.generate()
        let forged = try #require(APIKeySecret("apus_\(secret.id)_" + String(repeating: "0", count: 64)))
        #expect(self.key(secret).refusal(of: secret, now: self.now) == nil)
        #expect(self.key(secret).refusal(of: forged, now: self.now) == .wrongSecret)
        #expect(self.key(secret).refusal(of: .generate(), now: self.now) == .wrongSecret)
    }

    @Test("an expired or revoked key is refused from that very time on")
    func times() {
        let secret = APIKeySecret.generate()
        var key = self.key(secret)
        let end = self.now.addingTimeInterval(10)
        key.expiresAt = end
        #expect(key.refusal(of: secret, now: end.addingTimeInterval(-0.001)) == nil)
        #expect(key.refusal(of: secret, now: end) == .expired(at: end))
        key.revokedAt = self.now
        #expect(key.refusal(of: secret, now: self.now) == .revoked(at: self.now))
    }

    @Test("a key does what its scopes say, and admin does everything", arguments: Scope.allCases)
    func scopes(scope: Scope) {
        let secret = APIKeySecret.generate()
        #expect(self.key(secret, scopes: [scope]).refusal(to: scope, app: nil) == nil)
        #expect(self.key(secret, scopes: [.admin]).refusal(to: scope, app: "com.example.app") == nil)
        #expect(self.key(secret, scopes: []).refusal(to: scope, app: nil) == .insufficientScope(scope))
    }

    @Test("a key bound to an app does nothing for others, nor for all")
    func bound() {
        let key = self.key(.generate(), scopes: [.admin], app: "com.example.app")
        #expect(key.refusal(to: .send, app: "com.example.app") == nil)
        #expect(key.refusal(to: .send, app: "com.example.other") == .otherApp(bound: "com.example.app"))
        #expect(key.refusal(to: .admin, app: nil) == .otherApp(bound: "com.example.app"))
    }
}
