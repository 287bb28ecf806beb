// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import Testing

@Suite("Bodies of requests to the SNS endpoint", .timeLimit(.minutes(20)))
struct SNSBodyTests {
    /// The head of a request, signed with a key on some day, or not at all.
    private static func head(_ fields: String..., key: String? = nil) -> String {
        let day = "20200102"
        let signature = String(repeating: "ab", count: 32)
        let signed = key.map { key in
            [
                "X-Amz-Date: \(day)T030405Z",
                "Authorization: AWS4-HMAC-SHA256 Credential=\(key)/\(day)/\(SNSStage.region)/sns/aws4_request, "
                    + "SignedHeaders=host;x-amz-date, Signature=\(signature)",
            ]
        }
        let lines = ["POST / HTTP/1.1", "Host: localhost"] + fields + (signed ?? [])
        return lines.map { "\($0)\r\n" }.joined() + "\r\n"
    }

    /// The first line of what a server answers to a request whose end never comes.
    private static func answer(of stage: SNSStage, to head: String, chunk: String? = nil) async throws -> String? {
        let connection = try await RawConnection(to: stage.url)
        try await connection.send(head)
        if let chunk { try await connection.sendChunk(chunk) }
        let line = await connection.nextLine()
        await connection.close()
        return line
    }

    @Test("are not waited for unless a known key has signed them, now")
    func unread() async throws {
        try await SNSStage.with { stage in
            let (length, chunked) = ("Content-Length: 1000000", "Transfer-Encoding: chunked")
            let forbidden = "HTTP/1.1 403 Forbidden"
            #expect(try await Self.answer(of: stage, to: Self.head(length)) == forbidden)
            let chunk = String(repeating: "a", count: (16 << 10) + 1)
            #expect(try await Self.answer(of: stage, to: Self.head(chunked), chunk: chunk) == forbidden)
            // Keys of others, one that could be one of ours, and ours at a time long ago.
            for key in ["AKIAIOSFODNN7EXAMPLE", "APUS0123456789ABCDEF", try #require(stage.key.accessKeyID)] {
                #expect(try await Self.answer(of: stage, to: Self.head(length, key: key)) == forbidden, "\(key)")
            }
        }
    }
}
