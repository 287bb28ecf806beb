// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusScheduling
import ApusTesting
import Cron
import Foundation
import Logging
import PostgresStore
import PushModel
import PushStore
import SQLiteStore
import ServiceLifecycle
import StoreTesting
import Testing

@Suite("Jobs in Swift", .timeLimit(.minutes(20)))
struct JobRunnerTests {
    private static let app: AppID = "com.example.app"

    /// A store with the app, and clocks that only the test moves.
    private struct Stage: Sendable {
        /// Where a program of others finds the store.
        let location: JobStoreConfiguration
        let store: any PushStore
        let now = TestDateSource()
        let clock = TestClock()

        /// Runs jobs for as long as `body` takes, and shuts them down gracefully; an error cancels them.
        func run(
            _ jobs: [any ScheduledJob],
            location: JobStoreConfiguration? = nil,
            _ body: () async throws -> Void
        ) async throws {
            let runner = try JobRunner(
                app: JobRunnerTests.app,
                jobs: jobs,
                store: location ?? .store(self.store),
                clock: self.clock,
                now: { [now = self.now] in now.date },
                logger: .silent
            )
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(services: [runner], logger: .silent)
            )
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                try await body()
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }
        }

        /// Waits until the runner has registered its jobs and waits for their time.
        func isIdle() async throws { try await self.clock.timer(dueIn: .seconds(1)) }

        /// The newest run of a job once it has ended.
        func end(of job: JobID) async throws -> JobRun {
            var changes = self.store.changes().makeAsyncIterator()
            while true {
                let run = try await self.store.job(job, of: JobRunnerTests.app)?.lastRun
                if let run, run.state.isFinal { return run }
                guard await changes.next() != nil else { throw CancellationError() }
            }
        }

        /// The latest run of a job as soon as a condition holds, also one that another process changes.
        func run(of job: JobID, when isThere: (JobRun) -> Bool) async throws -> JobRun {
            var run: JobRun?
            try await waitUntil {
                run = try await self.store.job(job, of: JobRunnerTests.app)?.lastRun
                return run.map(isThere) ?? false
            }
            return try #require(run)
        }

        func advance(by duration: Duration) {
            self.now.advance(by: duration)
            self.clock.advance(by: duration)
        }
    }

    private func open(on kind: TestStoreBackend, _ body: (Stage) async throws -> Void) async throws {
        switch kind {
        case .sqlite:
            let directory = FileManager.default.temporaryDirectory
                .appendingPathComponent("apus-jobs-\(UUID().uuidString)", isDirectory: true)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            let path = directory.appendingPathComponent("apus.db").path
            let configuration = SQLiteStoreConfiguration(path: path, synchronous: .normal)
            try await withSQLiteStore(configuration: configuration, logger: .silent) { store in
                try await self.open(store, at: .sqlite(path: path), body)
            }
        case .postgres:
            try await TestPostgresDatabase.withStoreDatabase { database in
                try await withPostgresStore(configuration: .inTest(database.url), logger: .silent) { store in
                    try await self.open(store, at: .postgres(url: database.url), body)
                }
            }
        }
    }

    private func open(
        _ store: any PushStore,
        at location: JobStoreConfiguration,
        _ body: (Stage) async throws -> Void
    ) async throws {
        let stage = Stage(location: location, store: store)
        try await store.createApp(App(id: Self.app, createdAt: stage.now.date))
        try await body(stage)
    }

    @Test(
        "the job of the guide turns lessons to ending, each once, and tells how many",
        arguments: TestStoreBackend.allCases
    )
    func guide(kind: TestStoreBackend) async throws {
        try await self.open(on: kind) { stage in
            for number in 0..<3 {
                let seconds = [600.0, 1000, 5000][number]
                let activity = try ActivityFixtures.activity(
                    ActivityID(unchecked: "lesson \(number)"),
                    instants: ["endsAt": stage.now.date.addingTimeInterval(seconds)]
                )
                _ = try await stage.store.createActivity(activity, startingOn: [], now: stage.now.date)
            }
            try await stage.run([LessonEndingJob()]) {
                try await stage.isIdle()
                stage.advance(by: .seconds(60))
                let run = try await stage.end(of: "LessonEndingJob")
                #expect(run.state == .succeeded)
                #expect(run.processedCount == 2)
            }
            let lesson = try await stage.store.activity("lesson 0", of: Self.app)
            #expect(lesson?.lifecycle.version == 2)
            let later = try await stage.store.activity("lesson 2", of: Self.app)
            #expect(later?.lifecycle.version == 1)
            let job = try await stage.store.job("LessonEndingJob", of: Self.app)?.job
            #expect(job?.definition.work == .code)
        }
    }

    @Test(
        "a job may be kept in a store that servers have open, and is run by hand through them",
        arguments: TestStoreBackend.allCases
    )
    func file(kind: TestStoreBackend) async throws {
        try await self.open(on: kind) { stage in
            try await stage.run([Counter(id: "counter")], location: stage.location) {
                try await stage.isIdle()
                let run = try await stage.store.runJob("counter", of: Self.app, now: stage.now.date)
                guard case .made(let made)? = run else {
                    Issue.record("the run came to \(String(describing: run))")
                    return
                }
                // Another process finds it by its poll.
                try await stage.clock.fire(timerDueIn: .seconds(1), alsoAdvancing: stage.now)
                let end = try await stage.run(of: "counter") { $0.state.isFinal }
                #expect(end.id == made.id)
                #expect(end.processedCount == 42)
                #expect(end.message == "counted")
            }
        }
    }

    @Test(
        "an error, and a failure that is told, are kept in the history and repeated",
        arguments: TestStoreBackend.allCases
    )
    func failing(kind: TestStoreBackend) async throws {
        try await self.open(on: kind) { stage in
            try await stage.run([Failing(), Refusing()]) {
                for (job, message) in [("Failing", "it went wrong"), ("Refusing", "there is nothing to do")] {
                    let id = JobID(unchecked: job)
                    try await stage.isIdle()
                    _ = try await stage.store.runJob(id, of: Self.app, now: stage.now.date)
                    let first = try await stage.run(of: id) { $0.attempt == 1 && $0.worker == nil }
                    #expect(first.message == message)
                    // It waits for 5 seconds; then the poll claims it.
                    let time = try #require(first.claimableAt)
                    stage.now.advance(by: .seconds(time.timeIntervalSince(stage.now.date)))
                    try await stage.clock.fire(timerDueIn: .seconds(1))
                    let run = try await stage.end(of: id)
                    #expect(run.state == .failed)
                    #expect(run.message == message)
                    #expect(run.attempt == 2)
                }
            }
        }
    }

    @Test(
        "a job that makes up for each missed occurrence drops none of them, and one that contradicts itself is refused"
    )
    func each() async throws {
        let refused = #expect(throws: JobRunnerError.self) {
            _ = try JobRunner(app: Self.app, jobs: [Contradictory()], store: .sqlite(path: "x"), logger: .silent)
        }
        #expect(refused?.code == .unfitPolicy)
        #expect(refused?.message.contains("'Contradictory'") == true)
        try await self.open(on: .sqlite) { stage in
            try await stage.run([MakingUp()]) { try await stage.isIdle() }
            stage.now.advance(by: .seconds(605))
            try await stage.run([MakingUp()]) {
                var changes = stage.store.changes().makeAsyncIterator()
                while true {
                    let runs = try await stage.store.jobRuns(of: "MakingUp", app: Self.app, after: nil, limit: 100)
                        .elements
                    if runs.count == 10, runs.allSatisfy({ $0.state == .succeeded }) { break }
                    try #require(runs.allSatisfy { $0.state != .skipped })
                    guard await changes.next() != nil else { throw CancellationError() }
                }
            }
        }
    }

    @Test("a date in text that the type converts changes an activity once", arguments: TestStoreBackend.allCases)
    func dates(kind: TestStoreBackend) async throws {
        try await self.open(on: kind) { stage in
            let lesson = try ActivityFixtures.activity()
            _ = try await stage.store.createActivity(lesson, startingOn: [], now: stage.now.date)
            _ = try await stage.store.keep(ActivityFixtures.registered(ActivityFixtures.rules))
            try await stage.run([Dating()]) {
                try await stage.isIdle()
                _ = try await stage.store.runJob("Dating", of: Self.app, now: stage.now.date)
                let run = try await stage.end(of: "Dating")
                #expect(run.state == .succeeded)
                #expect(run.message == "1, then 0")
            }
        }
    }

    @Test("a message is sent once, however often the attempt is repeated", arguments: TestStoreBackend.allCases)
    func sending(kind: TestStoreBackend) async throws {
        try await self.open(on: kind) { stage in
            try await stage.run([Sending()]) {
                try await stage.isIdle()
                stage.advance(by: .seconds(60))
                let run = try await stage.end(of: "Sending")
                #expect(run.state == .succeeded)
            }
            let campaigns = try await stage.store.campaigns(of: Self.app, after: nil, limit: 10).elements
            #expect(campaigns.count == 2)
        }
    }

    @Test("names that are taken are refused", arguments: TestStoreBackend.allCases)
    func names(kind: TestStoreBackend) async throws {
        let jobs = [Counter(id: "a"), Counter(id: "a")]
        let twice = #expect(throws: JobRunnerError.self) {
            _ = try JobRunner(app: Self.app, jobs: jobs, store: .sqlite(path: "x"), logger: .silent)
        }
        #expect(twice?.code == .repeatedName)
        try await self.open(on: kind) { stage in
            let definition = try JobSamples.greeting()
            _ = try await stage.store.putJob("a", of: Self.app, as: definition, isPaused: nil, now: stage.now.date)
            let runner = try JobRunner(
                app: Self.app,
                jobs: [Counter(id: "a")],
                store: .store(stage.store),
                logger: .silent
            )
            let taken = await #expect(throws: JobRunnerError.self) { try await runner.run() }
            #expect(taken?.code == .nameTaken)
        }
    }
}

private struct Counter: ScheduledJob {
    let id: JobID
    var schedule: Schedule { get throws { try .cron("@yearly") } }

    func run(_ context: JobContext) async throws -> JobResult { JobResult(processedCount: 42, message: "counted") }
}

private struct Failing: ScheduledJob {
    struct Wrong: Error, CustomStringConvertible {
        var description: String { "it went wrong" }
    }

    var schedule: Schedule { get throws { try .cron("@yearly") } }
    var policy: JobPolicy { JobPolicy(maxRetries: 1) }

    func run(_ context: JobContext) async throws -> JobResult { throw Wrong() }
}

private struct Refusing: ScheduledJob {
    var schedule: Schedule { get throws { try .cron("@yearly") } }
    var policy: JobPolicy { JobPolicy(maxRetries: 1) }

    func run(_ context: JobContext) async throws -> JobResult { .failure("there is nothing to do") }
}

private struct Contradictory: ScheduledJob {
    var schedule: Schedule { get throws { try .cron("@hourly") } }
    var policy: JobPolicy { JobPolicy(overlap: .skip, misfire: .runAll(within: 3600)) }

    func run(_ context: JobContext) async throws -> JobResult { JobResult() }
}

private struct MakingUp: ScheduledJob {
    var schedule: Schedule { get throws { try .cron("* * * * *") } }
    var policy: JobPolicy { JobPolicy(misfire: .runAll(within: 3600)) }

    func run(_ context: JobContext) async throws -> JobResult { JobResult() }
}

private struct Dating: ScheduledJob {
    var schedule: Schedule { get throws { try .cron("@yearly") } }

    func run(_ context: JobContext) async throws -> JobResult {
        let patch = try RawJSONObject(json: #"{"endTime":"2026-03-01T09:00:00Z"}"#)
        let query = JobActivities(
            attributesType: ActivityFixtures.type,
            change: ActivityChange(contentState: .patched(patch))
        )
        let first = try await context.client.changeActivities(query)
        let second = try await context.client.changeActivities(query)
        return JobResult(processedCount: first + second, message: "\(first), then \(second)")
    }
}

private struct Sending: ScheduledJob {
    var schedule: Schedule { get throws { try .cron("* * * * *") } }

    func run(_ context: JobContext) async throws -> JobResult {
        let message = CampaignMessage(fallback: try MessageTemplate(APNsPayload(json: #"{"aps":{"alert":"hi"}}"#)))
        let campaign = JobCampaign(audience: .all, message: message)
        let first = try await context.client.send(campaign)
        let again = try await context.client.send(campaign)
        let other = try await context.client.send(campaign, key: "other")
        return first == again && first != other
            ? JobResult(processedCount: 2) : .failure("the ids are not as they should be")
    }
}

extension Logger {
    /// A logger that keeps nothing.
    fileprivate static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
