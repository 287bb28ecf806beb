// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import Testing

@testable import apus

@Suite("Answers that no server gives", .timeLimit(.minutes(20)))
struct StrangeAnswerTests {
    private static let most = Int.max
    private static let least = Int.min

    private static func decoded<Value: Decodable>(_ text: String) throws -> Value {
        try APIResponse(body: Data(text.utf8)).decoded()
    }

    @Test(
        "counts of a campaign that do not fit together end no command",
        arguments: [(least, 1), (most, least), (1, most), (-1, -2), (most, 0)]
    )
    func campaign(enqueued: Int, inFlight: Int) throws {
        let progress: CampaignResponse.Progress = try Self.decoded(
            #"""
            {"state":"running","enqueued":\#(enqueued),"inFlight":\#(inFlight),"attempted":0,"isCompleted":false,
            "counts":{"delivered":\#(Self.least),"rejected":{"a":\#(Self.most)},"failed":{"a":1}},
            "ratePerSecond":1e300,"remainingSeconds":-1e300}
            """#
        )
        #expect(progress.summary.contains("\(Self.most) a"))
        #expect(progress.summary.contains("\(Self.most) a second"))
        #expect(progress.bar(width: 30).count == 32)
    }

    @Test("counts of a token validation that no number holds end no command")
    func tokenValidation() throws {
        let validation: TokenValidationResponse = try Self.decoded(
            #"""
            {"id":"a","name":"a","createdAt":"","durationSeconds":0,"fixEnvironment":false,"state":"running",
            "phase":"checking","isCompleted":true,"report":{"checked":\#(Self.least),"valid":0,"unregistered":0,
            "otherEnvironment":0,"fixed":0,"invalid":0,"inconclusive":{"rejected":{"a":\#(Self.least)},"failed":{"a":-1}}}}
            """#
        )
        #expect(validation.summary.contains("\(Self.least) a"))
    }

    @Test("counts of a timeline that no number holds end no command")
    func timeline() throws {
        let failures = #""rejected":{"a":\#(Self.most)},"failed":{"a":1}"#
        let sending = #"{"count":\#(Self.most),"delivered":\#(Self.most),\#(failures)}"#
        let entry: TimelineEntryResponse = try Self.decoded(
            #"{"sequence":1,"time":"","type":"a","version":1,"pending":0,"sent":[\#(sending),\#(sending)]}"#
        )
        #expect(entry.isSettled)
        #expect(entry.summary.contains("sent to \(Self.most): \(Self.most) delivered, \(Self.most) a"))
    }

    @Test("an activity is watched on behind an entry with the least number that there is")
    func watch() async throws {
        let activity = "/v1/apps/com.example.app/activities/lesson"
        let answers = [
            activity: #"{"id":"lesson","attributesType":"Lesson","state":"active","version":1,"instants":{}}"#,
            "\(activity)/transitions": #"{"transitions":[]}"#,
            "\(activity)/timeline": #"""
            {"entries":[{"sequence":\#(Self.least),"time":"","type":"a","version":1,"pending":0,"sent":[]}]}
            """#,
        ]
        try await ScriptedServer.with(answers) { server in
            let watch = try ChildProcess(
                executable: BuiltExecutable.path,
                arguments: ["activity", "watch", "com.example.app", "lesson"],
                environment: server.environment,
                log: "\(server.directory)/watch.log"
            )
            var paths: [String] = []
            while paths.count(where: { $0.contains("/timeline") }) < 2, let path = await server.nextPath() {
                paths.append(path)
            }
            #expect(paths.last?.hasSuffix("&cursor=0") == true, "\(watch.logEnd)")
            watch.kill()
            await watch.end()
        }
    }

    @Test("a list whose cursor does not move ends with what is wrong", arguments: [false, true])
    func endless(asJSON: Bool) async throws {
        let answers = ["/v1/apps/com.example.app/devices": #"{"devices":[],"nextCursor":"a"}"#]
        try await ScriptedServer.with(answers) { server in
            let run = try await CommandRun(
                ["devices", "list", "com.example.app"] + (asJSON ? ["--json"] : []),
                environment: server.environment,
                in: server.directory
            )
            #expect(run.status == 1)
            let message = asJSON ? run.failure?.message : run.errors
            #expect(message?.contains("expected a new cursor") == true)
        }
    }

    @Test(
        "a server does not go by a time that no simulator has",
        arguments: [#""seconds":1e300,"scale":1"#, #""seconds":-1,"scale":1"#, #""seconds":1,"scale":-1"#]
    )
    func clock(members: String) async throws {
        try await ScriptedServer.with(["/v1/clock": "{\(members),\"change\":0}"]) { server in
            let arguments = ["--data", "\(server.directory)/data", "--clock-simulator", server.url, "--json"]
            let run = try await CommandRun(["serve", "--port", "0"] + arguments, in: server.directory)
            #expect(run.status == 1)
            #expect(run.failure?.code == "bad_configuration")
            #expect(run.failure?.message.contains("expected a number from 0.0 to ") == true, "\(run.lines)")
        }
    }

    @Test("lines come whole, however the pieces are cut, and a line that does not end is refused")
    func lines() throws {
        let text = Data("one\n\ntwo and three\nrest".utf8)
        for size in 1...text.count {
            var splitter = LineSplitter()
            var lines: [String] = []
            var rest = text
            while !rest.isEmpty {
                lines += splitter.feed(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            #expect(lines == ["one", "", "two and three"], "\(size)")
            try splitter.checkLength()
        }
        var splitter = LineSplitter()
        for _ in 0...16 { _ = splitter.feed(Data(count: 1 << 20)) }
        #expect(throws: CommandError.self) { try splitter.checkLength() }
    }

    @Test("standard input that cannot be read, such as a directory, counts as ended")
    func noInput() async throws {
        try await withTemporaryDirectory { directory in
            let script = #"exec "$0" schedule --exit-on-stdin-close --data "$1" < /"#
            let child = try ChildProcess(
                executable: "/bin/sh",
                arguments: ["-c", script, BuiltExecutable.path, "\(directory)/data"],
                log: "\(directory)/log"
            )
            #expect(await child.end() == 0, "\(child.logEnd)")
        }
    }
}
