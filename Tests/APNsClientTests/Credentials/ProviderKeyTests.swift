// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import Crypto
import Testing

@Suite("Provider keys")
struct ProviderKeyTests {
    private let pem = P256.Signing.PrivateKey().pemRepresentation

    @Test("a key says its ids, and never itself")
    func description() throws {
        let key = try ProviderKey(keyID: "ABCDE12345", teamID: "TEAM123456", pem: self.pem)
        #expect("\(key)" == "key ABCDE12345 of team TEAM123456")
    }

    @Test("two readings of the same file are the same key, another file's is another")
    func equality() throws {
        let key = try ProviderKey(keyID: "ABCDE12345", teamID: "TEAM123456", pem: self.pem)
        let again = try ProviderKey(keyID: "ABCDE12345", teamID: "TEAM123456", pem: self.pem)
        let other = try ProviderKey(
            keyID: "ABCDE12345",
            teamID: "TEAM123456",
            pem: P256.Signing.PrivateKey().pemRepresentation
        )
        #expect(key == again)
        #expect(key.hashValue == again.hashValue)
        #expect(key != other)
    }

    @Test(
        "what is not a P-256 private key in PEM is refused, and not repeated",
        arguments: [
            "", "secret-not-a-key", "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n",
            P384.Signing.PrivateKey().pemRepresentation, P256.Signing.PrivateKey().publicKey.pemRepresentation,
        ]
    )
    func notAKey(pem: String) {
        let error = #expect(throws: APNsClientError.self) {
            try ProviderKey(keyID: "ABCDE12345", teamID: "TEAM123456", pem: pem)
        }
        #expect(error?.code == .invalidKey)
        #expect(error?.message.contains("ABCDE12345") == true)
        #expect(error?.description.contains("secret") == false)
    }

    @Test(
        "ids that are not ten letters and digits are refused",
        arguments: ["", "ABCDE1234", "ABCDE123456", "ABCDE-1234"]
    )
    func badIdentifier(id: String) {
        let keyError = #expect(throws: APNsClientError.self) {
            try ProviderKey(keyID: id, teamID: "TEAM123456", pem: self.pem)
        }
        #expect(keyError?.code == .invalidIdentifier)
        #expect(keyError?.message.contains("key id") == true)
        let teamError = #expect(throws: APNsClientError.self) {
            try ProviderKey(keyID: "ABCDE12345", teamID: id, pem: self.pem)
        }
        #expect(teamError?.message.contains("team id") == true)
    }
}
