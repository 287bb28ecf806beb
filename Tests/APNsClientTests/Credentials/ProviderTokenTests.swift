// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto
import Foundation
import Testing

@testable import APNsClient

@Suite("Provider tokens")
struct ProviderTokenTests {
    private let privateKey = P256.Signing.PrivateKey()
    private let now = Date(timeIntervalSince1970: 1_760_000_000.75)

    private func token() throws -> ProviderToken {
        let pem = self.privateKey.pemRepresentation
        return try ProviderToken(key: ProviderKey(keyID: "ABCDE12345", teamID: "TEAM123456", pem: pem), now: self.now)
    }

    @Test("a token names the key, the team and the second, and nothing else")
    func content() throws {
        let parts = try Self.parts(of: self.token())
        #expect(Self.decode(parts[0]) == #"{"alg":"ES256","kid":"ABCDE12345"}"#)
        #expect(Self.decode(parts[1]) == #"{"iss":"TEAM123456","iat":1760000000}"#)
    }

    @Test("a token is signed with the key: 64 bytes, r and s")
    func signature() throws {
        let parts = try Self.parts(of: self.token())
        let raw = try #require(Self.bytes(parts[2]))
        #expect(raw.count == 64)
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: raw)
        #expect(self.privateKey.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
    }

    @Test(
        "a token is renewed at 50 minutes, and when the clock was set back as far",
        arguments: [(0, false), (49 * 60, false), (50 * 60, true), (3600, true), (-49 * 60, false), (-50 * 60, true)]
    )
    func age(seconds: Int, needsRefresh: Bool) throws {
        let token = try self.token()
        #expect(token.needsRefresh(now: self.now.addingTimeInterval(Double(seconds))) == needsRefresh)
    }

    @Test("a time that no token can name is an error", arguments: [1e300, -1e300, .infinity, .nan])
    func impossibleTime(seconds: Double) throws {
        let key = try ProviderKey(keyID: "ABCDE12345", teamID: "TEAM123456", pem: self.privateKey.pemRepresentation)
        let now = Date(timeIntervalSince1970: seconds)
        let error = #expect(throws: APNsClientError.self) { try ProviderToken(key: key, now: now) }
        #expect(error?.code == .invalidKey)
        #expect(error?.message.contains("set the clock") == true)
        let token = try self.token()
        _ = token.needsRefresh(now: now)
    }

    private static func parts(of token: ProviderToken) throws -> [String] {
        let text = String(decoding: token.headerValue, as: UTF8.self)
        #expect(text.hasPrefix("bearer "))
        let parts = text.dropFirst("bearer ".count).split(separator: ".").map(String.init)
        try #require(parts.count == 3)
        return parts
    }

    private static func bytes(_ part: String) -> Data? {
        var text = part.replacing("-", with: "+").replacing("_", with: "/")
        while !text.count.isMultiple(of: 4) { text += "=" }
        return Data(base64Encoded: text)
    }

    private static func decode(_ part: String) -> String? {
        Self.bytes(part).map { String(decoding: $0, as: UTF8.self) }
    }
}
