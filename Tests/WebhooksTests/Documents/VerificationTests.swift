// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import Spawn
import Testing
import Webhooks

@Suite("What docs/webhooks.md says of verifying", .timeLimit(.minutes(20)))
struct VerificationTests {
    private static let body = #"{"events":[{"id":"1","kind":"寿司"}]}"#

    @Test(
        "the Python snippet accepts what is genuine, and nothing else",
        arguments: [(0, "", true), (0, " ", false), (400, "", false), (-400, "", false), (200, "", true)]
    )
    func python(age: Int64, appendix: String, isGenuine: Bool) async throws {
        let secret = WebhookSecret.generate()
        let time = Int64(Date().timeIntervalSince1970) - age
        let signature = secret.signature(id: "msg_1", timestamp: time, body: Array(Self.body.utf8))
        let program = """
            from sys import argv
            \(try Self.snippet("python"))
            secret, stamp, signature, body = argv[1:]
            headers = {"webhook-id": "msg_1", "webhook-timestamp": stamp, "webhook-signature": signature}
            print(verify(secret, headers, body.encode()))
            """
        // A signature of another key may stand before the right one.
        let other = WebhookSecret.generate().signature(id: "msg_1", timestamp: time, body: [])
        let arguments = [secret.text, "\(time)", "\(other) \(signature)", Self.body + appendix]
        #expect(try await Self.run(program, arguments) == (isGenuine ? "True\n" : "False\n"))
    }

    @Test("the Swift snippet is what this test runs")
    func swift() throws {
        let secret = WebhookSecret.generate()
        let time = Int64(Date().timeIntervalSince1970)
        let signature = secret.signature(id: "msg_1", timestamp: time, body: Array(Self.body.utf8))
        for (body, isGenuine) in [(Self.body, true), (Self.body + " ", false)] {
            let result = verify(
                secret: secret.text,
                id: "msg_1",
                timestamp: "\(time)",
                signature: signature,
                body: Data(body.utf8)
            )
            #expect(result == isGenuine)
        }
        let own = try String(
            contentsOf: Self.root.appendingPathComponent("Tests/WebhooksTests/Documents/Verify.swift"),
            encoding: .utf8
        )
        let function = try Self.snippet("swift").split(separator: "\n\n", maxSplits: 1)[1]
        #expect(own.contains(function))
    }

    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The code of the document in a language.
    private static func snippet(_ language: String) throws -> String {
        let document = try String(contentsOf: self.root.appendingPathComponent("docs/webhooks.md"), encoding: .utf8)
        let start = try #require(document.range(of: "```\(language)\n")).upperBound
        let end = try #require(document[start...].range(of: "```")).lowerBound
        return String(document[start..<end])
    }

    private static func run(_ program: String, _ arguments: [String]) async throws -> String {
        let (status, output) = try await SpawnedProcess.run("/usr/bin/env", ["python3", "-c", program] + arguments)
        #expect(status == 0)
        return String(decoding: output, as: UTF8.self)
    }
}
