// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Testing

@testable import SNSProtocol

@Suite("Signatures that are refused")
struct SignatureRefusalTests {
    private static let vectors = SignatureVectors.botocore
    private static let published = Self.vectors.requests.first { $0.action == "Publish" && $0.method == "POST" }
    private static let presigned = Self.vectors.requests.first { $0.method == "GET" && $0.sessionToken == nil }
    private static let inSession = Self.vectors.requests.first { $0.method == "POST" && $0.sessionToken != nil }

    @Test("any change of what is signed breaks the signature")
    func changed() throws {
        let vector = try #require(Self.published)
        let changes: [(inout SignatureVectors.Request) -> Void] = [
            { $0.body += " " }, { $0.body = "" }, { $0.method = "GET" }, { $0.path = "/other" }, { $0.query = "a=b" },
            { $0.set("Host", "127.0.0.1:8081") }, { $0.set("Content-Type", "text/plain") },
        ]
        for change in changes {
            #expect(throws: SignatureVerifier.mismatch) { try Self.verify(vector.signed(change)) }
        }
    }

    @Test("what is not signed may change on the way")
    func unsigned() throws {
        let vector = try #require(Self.published)
        try Self.verify(vector.signed { $0.headers += [["Via", "1.1 proxy"], ["amz-sdk-request", "attempt=2"]] })
    }

    @Test("another secret does not verify, neither before nor after the right one")
    func otherSecret() throws {
        let request = try #require(Self.published).signed()
        let signature = try #require(try RequestSignature.read(from: request))
        let other = SigningCredential(accessKeyID: Self.vectors.accessKeyID, secret: "other")
        let verifier = SignatureVerifier()
        for _ in 0..<2 {
            #expect(throws: SignatureVerifier.mismatch) {
                try verifier.verify(signature, of: request, with: other, now: Self.vectors.time)
            }
            let right = Self.vectors.credential(sessionToken: nil)
            try verifier.verify(signature, of: request, with: right, now: Self.vectors.time)
        }
    }

    @Test(
        "clocks may differ by 15 minutes and no more",
        arguments: [
            (-901, "Signature not yet current: 20260228T235958Z is still later than 20260228T235957Z"), (-900, nil),
            (900, nil), (901, "Signature expired: 20260228T235958Z is now earlier than 20260228T235959Z"),
        ] as [(Int, String?)]
    )
    func skew(seconds: Int, text: String?) throws {
        let request = try #require(Self.published).signed()
        let error = Self.error { try Self.verify(request, after: seconds) }
        #expect(error?.code == (text == nil ? nil : .signatureDoesNotMatch))
        #expect(error?.message.hasPrefix(text ?? "?") ?? (text == nil))
    }

    @Test("a presigned URL is good until it expires", arguments: [(-900, true), (3600, true), (3601, false)])
    func presigned(seconds: Int, isGood: Bool) throws {
        let request = try #require(Self.presigned).signed()
        let error = Self.error { try Self.verify(request, after: seconds) }
        #expect(error?.code == (isGood ? nil : .signatureDoesNotMatch))
        #expect(isGood || error?.message.hasPrefix("Signature expired: 20260301T005958Z is now earlier than") == true)
    }

    @Test("the token of the session has to be there, and to be the session's own")
    func session() throws {
        let vector = try #require(Self.inSession)
        let request = vector.signed()
        for token in ["session/token+with=sigNs", ""] {
            #expect(throws: SignatureVerifier.unknownKey) { try Self.verify(request, sessionToken: token) }
        }
        #expect(throws: SignatureVerifier.needlessToken) { try Self.verify(request) }
        try Self.verify(request, sessionToken: vector.sessionToken)
        let plain = try #require(Self.published).signed()
        #expect(throws: SignatureVerifier.unknownKey) { try Self.verify(plain, sessionToken: "a") }
    }

    @Test("a scope for another service, day, region or end is refused with what was expected")
    func scope() throws {
        let vector = try #require(Self.published)
        let scopes = [
            (
                "20260228/us-east-1/sqs/aws4_request",
                "Credential should be scoped to correct service: 'sns', not 'sqs'."
            ),
            ("20260228/us_east/sns/aws4_request", "Credential should be scoped to a valid region, not 'us_east'."),
            (
                "20260228/us-east-1/sns/aws5",
                "Credential should be scoped with a valid terminator: 'aws4_request', not 'aws5'."
            ),
            (
                "20260301/us-east-1/sns/aws4_request",
                "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP:"
                    + " '20260301' != '20260228', from '20260228T235958Z'."
            ),
        ]
        for (scope, text) in scopes {
            let request = vector.signed { $0.setCredential("\(Self.vectors.accessKeyID)/\(scope)") }
            let error = Self.error { try Self.verify(request) }
            #expect(error == SNSError(.signatureDoesNotMatch, text))
        }
    }

    @Test(
        "a header that cannot be read is incomplete, and is never repeated",
        arguments: [
            ("Bearer apus_0123_very-secret", "got another scheme of 28 bytes"),
            ("AWS4-HMAC-SHA256 nonsense", "distinct key=value pairs"),
            ("AWS4-HMAC-SHA256 Credential=a, Credential=b", "distinct key=value pairs"),
            ("AWS4-HMAC-SHA256 Credential=a/b/c/d/aws4_request", "requires 'Signature' parameter."),
            ("AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=0", "5 slash-delimited elements"),
            ("AWS4-HMAC-SHA256 Credential=a/b/c/sns/aws4_request, SignedHeaders=host, Signature=0g", "64 hexadecimal"),
            (
                "AWS4-HMAC-SHA256 Credential=/b/c/sns/aws4_request, SignedHeaders=host, Signature=00",
                "access key id of 1...128"
            ),
            (
                "AWS4-HMAC-SHA256 Credential=a/b/c/sns/aws4_request, SignedHeaders=host;host, Signature="
                    + String(repeating: "0", count: 64), "distinct names in lower case"
            ),
        ]
    )
    func unreadable(header: String, text: String) throws {
        let request = try #require(Self.published).signed { $0.set("Authorization", header) }
        let error = Self.error { _ = try RequestSignature.read(from: request) }
        #expect(error?.code == .incompleteSignature)
        #expect(error?.message.contains(text) == true, "\(error?.message ?? "no error")")
        #expect(error?.message.contains("very-secret") == false)
    }

    @Test("headers that have to be signed are, and those that are named are there")
    func coveredHeaders() throws {
        let vector = try #require(Self.published)
        let zeros = String(repeating: "0", count: 64)
        let scope = "\(Self.vectors.accessKeyID)/20260228/us-east-1/sns/aws4_request"
        for (names, text) in [
            ("x-amz-date", "'Host' must be a 'SignedHeader' in the AWS Authorization."),
            ("host", "'x-amz-date' must be a 'SignedHeader' in the AWS Authorization."),
            ("host;x-amz-date;x-other", "SignedHeaders names 'x-other', which the request has not."),
        ] {
            let request = vector.signed {
                $0.set(
                    "Authorization",
                    "AWS4-HMAC-SHA256 Credential=\(scope), SignedHeaders=\(names), Signature=\(zeros)"
                )
            }
            #expect(Self.error { try Self.verify(request) }?.message == text)
        }
        let undated = vector.signed { $0.headers.removeAll { $0[0] == "X-Amz-Date" } }
        #expect(Self.error { try Self.verify(undated) }?.message.contains("'X-Amz-Date' or a 'Date' header") == true)
        let misdated = vector.signed { $0.set("X-Amz-Date", "20260231T000000Z") }
        #expect(Self.error { try Self.verify(misdated) }?.message.contains("got '20260231T000000Z'") == true)
    }

    @Test("a presigned URL lacks nothing, and lives 7 days at most")
    func presignedParts() throws {
        let vector = try #require(Self.presigned)
        for (name, replacement, text) in [
            ("X-Amz-Expires", "604801", "X-Amz-Expires must be 1...604800 seconds, got '604801'"),
            ("X-Amz-Expires", "0", "X-Amz-Expires must be 1...604800 seconds, got '0'"),
            ("X-Amz-Algorithm", "AWS4-ECDSA", "X-Amz-Algorithm must be 'AWS4-HMAC-SHA256', got 'AWS4-ECDSA'"),
            ("X-Amz-Signature", nil, "AWS query-string parameters must include 'X-Amz-Signature'."),
            ("X-Amz-Expires", nil, "AWS query-string parameters must include 'X-Amz-Expires'."),
        ] as [(String, String?, String)] {
            let request = vector.signed { vector in
                let pairs = vector.query.split(separator: "&").filter { !$0.hasPrefix("\(name)=") }.map(String.init)
                vector.query = (pairs + (replacement.map { ["\(name)=\($0)"] } ?? [])).joined(separator: "&")
            }
            #expect(Self.error { try Self.verify(request) } == SNSError(.incompleteSignature, text))
        }
        let both = vector.signed { $0.headers.append(["Authorization", "AWS4-HMAC-SHA256 Credential=a"]) }
        #expect(Self.error { try Self.verify(both) }?.message.hasSuffix("got both.") == true)
    }

    @Test("a request without a signature has none")
    func none() throws {
        let request = try #require(Self.published).signed { $0.headers.removeAll { $0[0] == "Authorization" } }
        #expect(try RequestSignature.read(from: request) == nil)
        #expect(SignatureVerifier.unsigned.code.status == 403)
    }

    @Test("descriptions show no secret and no signature")
    func redacted() throws {
        let credential = SigningCredential(accessKeyID: "AKID", secret: "very-secret", sessionToken: "tok-secret")
        #expect("\(credential)" == "AKID (secret redacted)")
        #expect(String(reflecting: credential) == "AKID (secret redacted)")
        let request = try #require(Self.inSession).signed()
        let signature = try #require(try RequestSignature.read(from: request))
        #expect(!"\(signature)".contains("session/token"))
        #expect(!String(reflecting: signature).contains(Hex.text(signature.bytes)))
    }

    private static func verify(_ request: SignedRequest, sessionToken: String? = nil, after seconds: Int = 0) throws {
        let signature = try #require(try RequestSignature.read(from: request))
        try SignatureVerifier().verify(
            signature,
            of: request,
            with: self.vectors.credential(sessionToken: sessionToken),
            now: self.vectors.time.addingTimeInterval(TimeInterval(seconds))
        )
    }

    private static func error(_ body: () throws -> Void) -> SNSError? {
        do {
            try body()
            return nil
        } catch {
            return error as? SNSError
        }
    }
}

extension SignatureVectors.Request {
    /// Replaces a header.
    fileprivate mutating func set(_ name: String, _ value: String) {
        for index in self.headers.indices where self.headers[index][0] == name { self.headers[index][1] = value }
    }

    /// Replaces the credential scope.
    fileprivate mutating func setCredential(_ credential: String) {
        for index in self.headers.indices where self.headers[index][0] == "Authorization" {
            let parts = self.headers[index][1].split(separator: ",", maxSplits: 1)
            self.headers[index][1] = "AWS4-HMAC-SHA256 Credential=\(credential),\(parts[1])"
        }
    }
}
