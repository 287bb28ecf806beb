// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import SNSProtocol
import Testing

@Suite("Requests that are signed here", .timeLimit(.minutes(20)))
struct RequestSignerTests {
    private static let now = Date(timeIntervalSince1970: 1_770_000_000)

    private static func verify(_ credential: SigningCredential, signedBy other: SigningCredential) throws {
        let signer = RequestSigner(credential: other, region: "ap-northeast-1")
        let body = Array("Action=ListTopics&Version=2010-03-31".utf8)
        let type = ["content-type": "application/x-www-form-urlencoded; charset=utf-8"]
        let signed = try signer.headers(
            method: "POST",
            path: "/sns/",
            host: "localhost:8080",
            headers: type,
            body: body,
            now: Self.now
        )
        let fields = signed.merging(type) { $1 }.merging(["host": "localhost:8080"]) { $1 }
        let request = SignedRequest(
            method: "POST",
            path: "/sns/",
            headers: fields.map { (name: $0.key, value: $0.value) },
            body: body
        )
        let signature = try #require(try RequestSignature.read(from: request))
        #expect(signature.scope.region == "ap-northeast-1")
        try SignatureVerifier().verify(signature, of: request, with: credential, now: Self.now)
    }

    @Test("are verified with the same key, that of a session included")
    func verified() throws {
        for token in [nil, "session"] {
            let credential = SigningCredential(accessKeyID: "APUS1", secret: "secret", sessionToken: token)
            try Self.verify(credential, signedBy: credential)
        }
    }

    @Test("are not verified with another one")
    func refused() {
        let credential = SigningCredential(accessKeyID: "APUS1", secret: "secret")
        let other = SigningCredential(accessKeyID: "APUS1", secret: "other")
        #expect(throws: SNSError.self) { try Self.verify(credential, signedBy: other) }
    }
}
