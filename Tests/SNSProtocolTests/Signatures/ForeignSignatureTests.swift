// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto
import Foundation
import Testing

@testable import SNSProtocol

@Suite("Signatures that others made")
struct ForeignSignatureTests {
    private static let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"

    @Test(
        "the derived keys are those that AWS publishes",
        arguments: [
            ("20120215", "f4780e2d9f65fa895f9c67b32ce1baf0b0d8a43505a000a1a9e090d414db404d"),
            ("20150830", "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9"),
        ]
    )
    func derivedKey(day: String, expected: String) {
        let scope = CredentialScope(accessKeyID: "AKIDEXAMPLE", day: day, region: "us-east-1", service: "iam")
        let key = SigningKey(secret: Self.secret, scope: scope)
        #expect(key.key.withUnsafeBytes { Hex.text($0) } == expected)
    }

    @Test("the simplest request that AWS publishes is verified")
    func vanilla() throws {
        let signature = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
        try Self.verify(
            service: "service",
            headers: [("Host", "example.amazonaws.com"), ("X-Amz-Date", "20150830T123600Z")],
            signedHeaders: "host;x-amz-date",
            signature: signature,
            canonicalHash: "bb579772317eb040ac9ed261061d46c1f17a8133879d6129b6e1c25292927e63"
        )
    }

    @Test("the request for users that AWS publishes is verified")
    func users() throws {
        try Self.verify(
            service: "iam",
            query: "Action=ListUsers&Version=2010-05-08",
            headers: [
                ("Content-Type", "application/x-www-form-urlencoded; charset=utf-8"), ("Host", "iam.amazonaws.com"),
                ("X-Amz-Date", "20150830T123600Z"),
            ],
            signedHeaders: "content-type;host;x-amz-date",
            signature: "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
            canonicalHash: "f536975d06c0309214f805bb90ccff089219ecd68b2577efef23edd43b7e1a59"
        )
    }

    @Test("what botocore signs is verified", arguments: SignatureVectors.botocore.requests)
    func botocore(vector: SignatureVectors.Request) throws {
        try Self.verify(vector, of: .botocore)
    }

    @Test(
        "odd requests are verified, signed from the specification",
        arguments: SignatureVectors.specification.requests
    )
    func specification(vector: SignatureVectors.Request) throws {
        try Self.verify(vector, of: .specification)
    }

    private static func verify(_ vector: SignatureVectors.Request, of vectors: SignatureVectors) throws {
        let request = vector.signed()
        let signature = try #require(try RequestSignature.read(from: request))
        #expect(signature.scope.accessKeyID == vectors.accessKeyID)
        let verifier = SignatureVerifier()
        let credential = vectors.credential(sessionToken: vector.sessionToken)
        try verifier.verify(signature, of: request, with: credential, now: vectors.time)
        // Once more, with the key that was kept.
        try verifier.verify(signature, of: request, with: credential, now: vectors.time)
    }

    private static func verify(
        service: String,
        query: String = "",
        headers: [(name: String, value: String)],
        signedHeaders: String,
        signature: String,
        canonicalHash: String
    ) throws {
        let scope = "AKIDEXAMPLE/20150830/us-east-1/\(service)/aws4_request"
        let header = "AWS4-HMAC-SHA256 Credential=\(scope), SignedHeaders=\(signedHeaders), Signature=\(signature)"
        let request = SignedRequest(
            method: "GET",
            path: "/",
            query: query,
            headers: headers + [("Authorization", header)]
        )
        let read = try #require(try RequestSignature.read(from: request))
        #expect(try CanonicalRequest(request, for: read).hash == canonicalHash)
        try SignatureVerifier(service: service).verify(
            read,
            of: request,
            with: SigningCredential(accessKeyID: "AKIDEXAMPLE", secret: Self.secret),
            now: Date(timeIntervalSince1970: 1_440_938_160)
        )
    }
}
