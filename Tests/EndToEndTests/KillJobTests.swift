// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import Logging
import StoreTesting
import Testing

@testable import apus

/// The job of the guide with real processes, the schedulers of which are killed at instants drawn by chance.
@Suite("A job whose schedulers are killed", .serialized, .timeLimit(.minutes(20)))
struct KillJobTests {
    private static let app = ServerInTest.app
    private static let lessons = 1200
    private static let environment = ["APUS_SCHEDULING_LEASE_DURATION_SECONDS": "2"]
    private static let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }

    @Test("turns each lesson to ending once, on the phone too", arguments: TestStoreBackend.allCases)
    func killed(store: TestStoreBackend) async throws {
        try await Self.place(store) { place, simulator in
            let server = try await place.start(with: "delivery")
            try await server.createApp(simulator)
            let activity = try Self.startLesson(simulator)
            let token = try #require(activity.token)
            for number in 0..<Self.lessons { try await Self.makeLesson(number, server) }
            let upload = #"{"token":"\#(token.hex)","environment":"sandbox"}"#
            let path = "/v1/apps/\(Self.app)/activities/lesson-600/tokens/phone"
            _ = try await server.api.call(.put, path, body: Data(upload.utf8))
            let put = try await server.apus(
                "jobs",
                "put",
                Self.app,
                "lessons-ending",
                "--cron",
                "* * * * * *",
                "--activities",
                "LessonAttributes",
                "--instant",
                "endsAt",
                "--until-seconds",
                "960",
                "--where",
                #"{"status":"active"}"#,
                "--patch",
                #"{"status":"ending"}"#
            )
            #expect(put.status == 0, "\(put.errors)")

            let first = try await place.startWorker(.schedule, environment: Self.environment)
            // It is killed as soon as anything is seen of it, most often between two pages.
            while try await Self.history(server).isEmpty {}
            first.process.kill()
            await first.process.end()
            let second = try await place.startWorker(.schedule, environment: Self.environment)
            while try await Self.processed(server) < Self.lessons {}
            while simulator.activity(activity.id)?.contentState["status"] != "ending" {
                _ = try await Self.history(server)
            }

            let versions = try await Self.versions(server)
            #expect(versions.count == Self.lessons)
            #expect(versions.allSatisfy { $0 == 2 })
            let updates = simulator.activity(activity.id)?.timeline.count { $0.change == .updated }
            #expect(updates == 1)
            let history = try await server.apus("jobs", "history", Self.app, "lessons-ending")
            #expect(history.status == 0, "\(history.errors)")
            #expect(history.lines.count > 1)
            let pause = try await server.apus("jobs", "pause", Self.app, "lessons-ending")
            #expect(pause.lines.first == "lessons-ending is paused.")
            #expect(try await Self.processed(server) == Self.lessons)
            #expect(await second.process.stop() == 0)
            #expect(await server.process.stop() == 0)
        }
    }

    @Test("the commands put, list, show, run, pause, resume and remove a job, and tell its history")
    func commands() async throws {
        try await ServerInTest.with(roles: "scheduling") { _, server in
            let job = "greeting"
            let file = "\(server.directory)/job.json"
            let text = """
                {"schedule":{"cron":"0 9 * * *","timeZone":"Europe/Zurich"},"paused":true,
                 "notification":{"audience":{"all":true},"message":{"default":{"notification":{"title":"Hello"}}}}}
                """
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            let put = try await server.apus("jobs", "put", Self.app, job, "--file", file)
            #expect(put.lines == ["greeting is paused."], "\(put.errors)")
            let run = try await server.apus("jobs", "run", Self.app, job, "--json")
            let made: JobResponse.Run = try run.lastLine()
            #expect(made.trigger == "manual")
            while try await Self.history(server, of: job).first?.state != "succeeded" {}
            let list = try await server.apus("jobs", "list", Self.app)
            #expect(list.lines.count == 2)
            #expect(list.lines.last?.contains("paused") == true)
            let shown = try await server.apus("jobs", "show", Self.app, job)
            #expect(shown.lines.first == "greeting: notification, 0 9 * * * Europe/Zurich")
            let resumed = try await server.apus("jobs", "resume", Self.app, job, "--json")
            #expect(try resumed.lastLine(as: JobResponse.self).nextRunAt != nil)
            let paused = try await server.apus("jobs", "pause", Self.app, job)
            #expect(paused.lines == ["greeting is paused."], "\(paused.errors)")
            let history = try await server.apus("jobs", "history", Self.app, job, "--json")
            #expect(try history.lastLine(as: JobResponse.Run.self).id == made.id)
            let deleted = try await server.apus("jobs", "delete", Self.app, job)
            #expect(deleted.status == 0, "\(deleted.errors)")
            let gone = try await server.apus("jobs", "show", Self.app, job, "--json")
            #expect(gone.failure?.code == "job_not_found")
            let wrong = try await server.apus("jobs", "put", Self.app, job, "--cron", "@daily")
            #expect(wrong.status == 2)
        }
    }

    // MARK: The stage

    private static func startLesson(_ simulator: APNsSimulator) throws -> LiveActivity {
        let device = try simulator.bootDevice(apps: [self.app])
        try simulator.changeApp(self.app, on: device.id) { $0.state = .foreground }
        let request = ActivityRequest(
            bundleID: self.app,
            attributesType: "LessonAttributes",
            contentState: ["status": "active"]
        )
        return try simulator.startActivity(request, on: device.id)
    }

    private static func makeLesson(_ number: Int, _ server: ServerInTest.Running) async throws {
        let end = Date().addingTimeInterval(600).formatted(.iso8601)
        let body = """
            {"id":"lesson-\(number)","attributesType":"LessonAttributes","contentState":{"status":"active"},
             "instants":{"endsAt":"\(end)"}}
            """
        _ = try await server.api.call(.post, "/v1/apps/\(self.app)/activities", body: Data(body.utf8))
    }

    private static func history(
        _ server: ServerInTest.Running,
        of job: String = "lessons-ending"
    ) async throws -> [JobResponse.Run] {
        let path = "/v1/apps/\(self.app)/jobs/\(job)/runs?limit=1000"
        return try await server.api.call(.get, path).decoded(as: APIPage<JobResponse.Run>.self).elements
    }

    private static func processed(_ server: ServerInTest.Running) async throws -> Int {
        try await self.history(server).reduce(0) { $0 + $1.processedCount }
    }

    private static func versions(_ server: ServerInTest.Running) async throws -> [Int] {
        struct Answer: Decodable {
            let version: Int
        }
        var versions: [Int] = []
        try await server.api.each(of: "/v1/apps/\(self.app)/activities", as: Answer.self) {
            versions.append($0.version)
        }
        return versions
    }

    private static func place(
        _ store: TestStoreBackend,
        _ body: (ServerInTest, APNsSimulator) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: Self.silent) { simulator in
                switch store {
                case .sqlite: try await body(try await ServerInTest(in: directory, simulator: simulator), simulator)
                case .postgres:
                    try await TestPostgresDatabase.withDatabase { database in
                        let place = try await ServerInTest(in: directory, simulator: simulator, storeURL: database.url)
                        try await body(place, simulator)
                    }
                }
            }
        }
    }
}
