// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import Logging
import Testing

@testable import apus

@Suite("apus activity", .timeLimit(.minutes(20)))
struct ActivityCommandTests {
    private static let app = ServerInTest.app
    private static let type = "LessonAttributes"

    @Test("starts a lesson by a push, changes it and ends it: the phone shows that, and the timeline tells it")
    func whole() async throws {
        try await ServerInTest.with(roles: "delivery,scheduling") { simulator, server in
            let phone = try simulator.bootDevice(apps: [Self.app]).id
            try simulator.changeApp(Self.app, on: phone) { $0.state = .foreground }
            let startToken = try simulator.issuePushToStartToken(Self.type, for: Self.app, on: phone)
            _ = try await server.api.call(
                .put,
                "/v1/apps/\(Self.app)/devices/\(phone.rawValue)/start-tokens/\(Self.type)",
                body: Data(#"{"token":"\#(startToken.hex)"}"#.utf8)
            )
            try Data(#"{"status":"active"}"#.utf8).write(to: URL(fileURLWithPath: "\(server.directory)/state.json"))
            func start(_ more: String...) async throws -> CommandRun {
                let command = [
                    "activity", "start", Self.app, "lesson-42", "--type", Self.type, "--device", phone.rawValue,
                    "--device", "nobody", "--attributes", #"{"childId":"7"}"#, "--state",
                    "@\(server.directory)/state.json", "--title", "Lesson", "--body", "It begins", "--instant",
                    "endsAt=2036-03-20T09:00:00Z",
                ]
                return try await CommandRun(command + more, environment: server.environment, in: server.directory)
            }
            let dry = try await start("--dry-run")
            let notStartable = "No token to start it with: nobody"
            #expect(
                dry.lines == ["lesson-42 would be pending at version 1: 1 devices.", notStartable],
                "\(dry.errors)"
            )
            let started = try await start()
            #expect(started.status == 0, "\(started.errors)")
            #expect(started.lines == ["lesson-42 is pending at version 1: 1 sent.", notStartable])
            var events = simulator.events().makeAsyncIterator()
            while simulator.activities(on: phone).isEmpty { _ = try #require(await events.next()) }
            let lesson = try #require(simulator.activities(on: phone).first)
            #expect(lesson.attributes == ["childId": "7"])
            try simulator.answerActivityQuestion(allows: true, for: Self.app, on: phone)
            while simulator.activity(lesson.id)?.tokenState != .issued { _ = try #require(await events.next()) }
            let token = try #require(simulator.activity(lesson.id)?.token)
            _ = try await server.api.call(
                .put,
                "/v1/apps/\(Self.app)/activities/lesson-42/tokens/\(phone.rawValue)",
                body: Data(#"{"token":"\#(token.hex)"}"#.utf8)
            )

            let update = try await server.apus(
                "activity",
                "update",
                Self.app,
                "lesson-42",
                "--patch",
                #"{"status":"ending"}"#,
                "--title",
                "Soon",
                "--body",
                "Five minutes left",
                "--priority",
                "5",
                "--stale-after-seconds",
                "600",
                "--json"
            )
            #expect(try update.lastLine(as: ActivityUpdateResponse.self).version == 2, "\(update.errors)")
            while simulator.activity(lesson.id)?.contentState["status"] != "ending" {
                _ = try #require(await events.next())
            }
            for _ in 0..<2 {
                let once = try await server.apus(
                    "activity",
                    "update",
                    Self.app,
                    "lesson-42",
                    "--patch",
                    #"{"page":1}"#,
                    "--wait",
                    "--idempotency-key",
                    "page 1"
                )
                #expect(once.status == 0, "\(once.errors)")
                #expect(once.lines.first == "lesson-42 is active at version 3: 1 sent.")
                #expect(once.lines.last?.hasPrefix("1 of 1 accepted by APNs") == true)
            }
            let end = try await server.apus(
                "activity",
                "end",
                Self.app,
                "lesson-42",
                "--state",
                #"{"status":"over"}"#,
                "--immediate"
            )
            #expect(end.lines.first?.hasPrefix("lesson-42 is ended at version 4:") == true, "\(end.errors)")
            while simulator.activity(lesson.id)?.state != .dismissed { _ = try #require(await events.next()) }
            #expect(simulator.activity(lesson.id)?.contentState == ["status": "over"])

            let table = try await server.apus("activity", "timeline", Self.app, "lesson-42")
            #expect(table.lines.count == 6, "\(table.lines)")
            #expect(table.lines[2].contains("token_received") && table.lines[2].contains(phone.rawValue))
            #expect(table.lines[3].contains(#""patch":{"status":"ending"}"#), "\(table.lines[3])")
            let latest = try await server.apus(
                "activity",
                "timeline",
                Self.app,
                "lesson-42",
                "--limit",
                "2",
                "--json"
            )
            let kinds = try latest.lines.map { try JSONValue(json: Array($0.utf8))["type"] }
            #expect(kinds == ["updated", "ended"])
            let late = try await server.apus("activity", "end", Self.app, "lesson-42", "--json")
            #expect(late.failure?.code == "activity_ended")
        }
    }

    @Test("takes whole requests from files, and moves and forgets instants")
    func files() async throws {
        try await ServerInTest.with(roles: "none") { _, server in
            let file = "\(server.directory)/activity.json"
            let text =
                #" {"attributesType":"LessonAttributes", "contentState":{"n":1}, "instants":{"endsAt":"2036-03-20T09:00:00Z"}}"#
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            let start = try await server.apus("activity", "start", Self.app, "lesson-42", "--file", file)
            #expect(start.status == 0, "\(start.errors)")
            let update = try await server.apus(
                "activity",
                "update",
                Self.app,
                "lesson-42",
                "--instant",
                "endsAt=",
                "--instant",
                "breakAt=2036-03-20T08:30:00Z"
            )
            #expect(update.status == 0, "\(update.errors)")
            let shown = try await server.api.call(.get, "/v1/apps/\(Self.app)/activities/lesson-42")
                .decoded(as: ActivityResponse.self)
            #expect(shown.instants == ["breakAt": "2036-03-20T08:30:00.000Z"])
            #expect(shown.version == 1)
        }
    }

    @Test("tells what a change would cost, and refuses or lowers it by the configured budget")
    func budget() async throws {
        let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: silent) { simulator in
                let place = try await ServerInTest(in: directory, simulator: simulator)
                let server = try await place.start(arguments: ["--activities-hourly-budget", "1"])
                try await server.createApp(simulator)
                let phone = try simulator.bootDevice(apps: [Self.app]).id
                try simulator.changeApp(Self.app, on: phone) { $0.state = .foreground }
                let lesson = try simulator.startActivity(
                    ActivityRequest(bundleID: Self.app, attributesType: "Lesson", contentState: ["n": 1]),
                    on: phone
                )
                var arrivals = simulator.deliveries().makeAsyncIterator()
                let token = try #require(lesson.token)
                let upload = #"{"token":"\#(token.hex)","attributesType":"Lesson","contentState":{"n":1}}"#
                let path = "/v1/apps/\(Self.app)/activities/lesson-42/tokens/phone"
                _ = try await server.api.call(.put, path, body: Data(upload.utf8))
                func update(_ number: Int, _ more: String...) async throws -> CommandRun {
                    let command = ["activity", "update", Self.app, "lesson-42", "--patch", #"{"n":\#(number)}"#]
                    return try await CommandRun(command + more, environment: server.environment, in: directory)
                }
                let dry = try await update(2, "--dry-run")
                #expect(dry.lines.first == "lesson-42 would be active at version 2: 1 devices.", "\(dry.errors)")
                #expect(dry.lines.last?.hasSuffix("up to 0 within the last hour, 0 left") == true)
                #expect(try await update(2, "--wait").status == 0)
                let refused = try await update(3, "--budget", "reject", "--json")
                #expect(refused.failure?.code == "push_budget_exceeded")
                let downgraded = try await update(3, "--budget", "downgrade", "--wait")
                #expect(downgraded.status == 0, "\(downgraded.errors)")
                #expect(downgraded.lines.contains { $0.hasPrefix("Budget: 0 of priority 10, 1 downgraded to 5") })
                var priorities: [String?] = []
                while priorities.count < 2, let arrival = await arrivals.next() {
                    priorities.append(arrival.notification.headers["apns-priority"])
                }
                #expect(priorities == ["10", "5"])
                #expect(await server.process.stop() == 0)
            }
        }
    }

    @Test(
        "refuses what does not belong together before it calls anybody",
        arguments: [
            (["start", "a", "b"], 2, "--file, or --type"),
            (["start", "a", "b", "--type", "T", "--device", "x"], 2, "--attributes, --state, --title and --body"),
            (["start", "a", "b", "--type", "T", "--attributes", "@-", "--state", "@-"], 2, "Standard input"),
            (["update", "a", "b"], 2, "content options such as --state"),
            (["update", "a", "b", "--state", "{}", "--patch", "{}"], 2, "either --state or --patch"),
            (["update", "a", "b", "--title", "x"], 2, "An alert requires --title and --body"),
            (["update", "a", "b", "--priority", "7"], 2, "5 or 10"),
            (["update", "a", "b", "--state", "[1]"], 1, "--state: expected a JSON object"),
            (["end", "a", "b", "--immediate", "--after-seconds", "5"], 2, "at most one of"),
            (["watch", "a", "b", "--interval", "0"], 2, "1 to 60"),
        ]
    )
    func refused(arguments: [String], status: Int32, words: String) async throws {
        try await withTemporaryDirectory { directory in
            // Nobody listens there.
            let environment = ["APUS_URL": "http://127.0.0.1:1", "APUS_API_KEY": "key"]
            let run = try await CommandRun(["activity"] + arguments, environment: environment, in: directory)
            #expect(run.status == status)
            #expect(run.errors.contains(words), "\(run.errors)")
        }
    }
}
