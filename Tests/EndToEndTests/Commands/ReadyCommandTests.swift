// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import Testing

@testable import CommandLineSupport
@testable import apus

@Suite("apus ready", .timeLimit(.minutes(20)))
struct ReadyCommandTests {
    @Test("a running server is ready, found by its URL or by its configuration, without an API key")
    func ready() async throws {
        try await ServerInTest.with(roles: "none") { _, server in
            let url = try #require(server.environment["APUS_URL"])
            let words = try await CommandRun(["ready", "--url", url], in: server.directory)
            #expect(words.status == 0)
            #expect(words.lines == ["\(url) is ready"])
            #expect(words.errors.isEmpty)

            let port = try #require(URL(string: url)?.port)
            let environment = ["APUS_PORT": "\(port)", "APUS_HOST": "0.0.0.0"]
            let configured = try await CommandRun("ready", environment: environment, in: server.directory)
            #expect(configured.status == 0)
            #expect(configured.lines == ["http://127.0.0.1:\(port) is ready"])
        }
    }

    @Test("a server that does not run is not ready, said in one line")
    func absent() async throws {
        let port = try ReservedPort()
        try await withTemporaryDirectory { directory in
            let run = try await CommandRun("ready", "--port", "\(port.number)", in: directory)
            #expect(run.status == 1)
            #expect(run.lines.isEmpty)
            #expect(run.errors.split(separator: "\n").count == 1)
            #expect(run.errors.contains("No response from http://127.0.0.1:\(port.number): Connection refused. Is"))
        }
    }

    @Test func `a server that starts within the time to wait is ready`() async throws {
        try await withTemporaryDirectory { directory in
            let port = try ReservedPort()
            async let ready = CommandRun("ready", "--wait", "120", "--port", "\(port.number)", in: directory)
            try await ServerInTest.with(roles: "none") { _, server in
                let url = try #require(server.environment["APUS_URL"])
                let late = try await CommandRun(["ready", "--wait", "60", "--url", url], in: directory)
                #expect(late.status == 0)
            }
            let absent = try await CommandRun("ready", "--wait", "1", "--port", "\(port.number)", in: directory)
            #expect(absent.status == 1)
            _ = try await ready
        }
    }

    @Test("an error that waiting does not cure ends the wait at once", arguments: ["", "/v1/apps"])
    func permanent(path: String) async throws {
        // Longer than the time limit of this suite.
        let wait = ["ready", "--wait", "600", "--json", "--url"]
        if path.isEmpty {
            try await ScriptedServer.with([:]) { server in
                let run = try await CommandRun(wait + [server.url], in: server.directory)
                #expect(run.status == 1)
                #expect(run.lines.joined().contains(#""code":"not_ready""#))
                #expect(run.lines.joined().contains("status 404"))
            }
        } else {
            try await ServerInTest.with(roles: "none") { _, server in
                let url = try #require(server.environment["APUS_URL"])
                let run = try await CommandRun(wait + [url + path], in: server.directory)
                #expect(run.status == 1)
                #expect(run.lines.joined().contains("missing_api_key, status 401"))
            }
        }
    }

    @Test("a URL that the client cannot use, and a server without TLS or a valid certificate, are permanent problems")
    func permanentProblems() {
        struct TLSProblem: Error, CustomStringConvertible {
            let description: String
        }
        let texts = [
            "handshakeFailed(sslError([error:100000f7:SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER]))",
            "handshakeFailed(sslError([error:1000007d:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED]))",
        ]
        for text in texts { #expect(TLSProblem(description: text).isPermanentConnectionProblem) }
        #expect(!TLSProblem(description: "handshakeFailed(sslError([End of file]))").isPermanentConnectionProblem)
        #expect(!CancellationError().isPermanentConnectionProblem)
    }

    @Test("a server that does not respond with 200 is not ready")
    func refused() async throws {
        try await ScriptedServer.with([:]) { server in
            let run = try await CommandRun("ready", "--url", server.url, in: server.directory)
            #expect(run.status == 1)
            #expect(run.errors.contains("\(server.url) is not ready: GET /readyz was answered with status 404."))
        }
    }

    @Test(
        "an address that cannot be one is refused",
        arguments: ["", "localhost", "ftp://localhost", "http://", "https:///a", "http://127.0.0.1:65536"]
    )
    func malformed(url: String) async throws {
        try await withTemporaryDirectory { directory in
            let run = try await CommandRun(["ready", "--wait", "600", "--url", url, "--json"], in: directory)
            #expect(run.status == 1)
            #expect(run.lines.joined().contains(#""code":"bad_url""#))
        }
    }
}
