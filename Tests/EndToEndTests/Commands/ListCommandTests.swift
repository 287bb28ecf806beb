// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport
import Foundation
import Testing

@testable import apus

@Suite("Lists of apus", .timeLimit(.minutes(20)))
struct ListCommandTests {
    private static let app = ServerInTest.app

    @Test("a list with --json has every member that the server sent, one element a line")
    func members() async throws {
        try await ServerInTest.with(roles: "none") { _, server in
            try await Self.fill(server)
            let lists = [
                ("devices", ["devices", "list"]), ("campaigns", ["campaign", "list"]), ("jobs", ["jobs", "list"]),
                ("credentials", ["apps", "credential", "list"]), ("token-validations", ["tokens", "list"]),
                ("topics", ["topics", "list"]),
            ]
            for (path, words) in lists {
                let member = path == "token-validations" ? "tokenValidations" : path
                let listed = try await server.apus(words + [Self.app, "--json"])
                #expect(listed.status == 0, "\(listed.errors)")
                #expect(!listed.lines.isEmpty, "\(member)")
                let sent = try await server.api.call(.get, "/v1/apps/\(Self.app)/\(path)").text
                #expect(sent == "{\"\(member)\":[\(listed.lines.joined(separator: ","))]}")
            }
        }
    }

    /// Creates one of each, none of which changes by itself.
    private static func fill(_ server: ServerInTest.Running) async throws {
        let file = "\(server.directory)/job.json"
        let job = """
            {"schedule":{"cron":"0 9 * * *"},"paused":true,
             "notification":{"audience":{"all":true},"message":{"default":{"notification":{"title":"Hello"}}}}}
            """
        try Data(job.utf8).write(to: URL(fileURLWithPath: file))
        let device = ["--token", "ab", "--user", "anna", "--tag", "a=b", "--topic", "news"]
        let commands = [
            ["devices", "put", Self.app, "phone"] + device,
            ["campaign", "create", Self.app, "--title", "Hello", "--paused"],
            ["jobs", "put", Self.app, "greeting", "--file", file],
            ["tokens", "validate", Self.app, "--duration", "0", "--start-at", "2036-03-20T01:00:00Z"],
            ["topics", "create", Self.app, "match-17", "--tag", "a=b"],
        ]
        for command in commands {
            let run = try await server.apus(command)
            #expect(run.status == 0, "\(run.errors)")
        }
    }

    @Test("a page may have members that this version does not know, and must have a list")
    func pages() throws {
        let newer = #"{"total":2,"note":null,"devices":["a","b"],"nextCursor":"b","by":{"list":[]}}"#
        let page = try APIResponse(body: Data(newer.utf8)).decoded(as: APIPage<String>.self)
        #expect(page.elements == ["a", "b"])
        #expect(page.nextCursor == "b")
        let failure = #expect(throws: CommandError.self) {
            _ = try APIResponse(body: Data(#"{"total":2}"#.utf8)).decoded(as: APIPage<String>.self)
        }
        #expect(failure?.code == "unexpected_response")
        let other = #expect(throws: CommandError.self) {
            try APIResponse(body: Data(#"{"total":2}"#.utf8)).writeElements()
        }
        #expect(other?.code == "unexpected_response")
    }
}
