// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport

struct JobsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "Manage recurring jobs: notifications, updates of Live Activities, webhook calls.",
        subcommands: [
            JobsListCommand.self, JobsShowCommand.self, JobsPutCommand.self, JobsRunCommand.self, JobsPauseCommand.self,
            JobsResumeCommand.self, JobsHistoryCommand.self, JobsDeleteCommand.self,
        ]
    )
}

/// The job that a command works on.
struct JobArguments: ParsableArguments {
    @Argument(help: "Bundle ID of the app.")
    var app: String

    @Argument(help: "Name of the job.")
    var job: String

    var path: String { "/v1/apps/\(self.app.asPathSegment)/jobs/\(self.job.asPathSegment)" }
}

struct JobsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List an app's jobs by their names; with --json one object per line."
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @OptionGroup var server: ServerArguments

    func run() async throws {
        let path = "/v1/apps/\(self.app.asPathSegment)/jobs"
        let heading = ["JOB", "TYPE", "SCHEDULE", "NEXT", "LAST", "PROCESSED"]
        try await self.server.list(path, heading, printable: true) { (job: JobResponse) in
            let next = job.paused ? "paused" : job.nextRunAt ?? "-"
            let processed = job.lastRun.map { "\($0.processedCount)" } ?? "-"
            return [job.id, job.type, job.schedule.summary, next, job.lastRun?.state ?? "-", processed]
        }
    }
}

struct JobsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a job, its next due time and its last run; with --json all values."
    )

    @OptionGroup var job: JobArguments
    @OptionGroup var server: ServerArguments

    func run() async throws {
        try await self.server.call(.get, self.job.path) { (job: JobResponse) in job.lines.joined(separator: "\n") }
    }
}

struct JobsRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a job now, even if it is paused; its schedule does not change."
    )

    @OptionGroup var job: JobArguments
    @OptionGroup var server: ServerArguments

    func run() async throws {
        try await self.server.call(.post, "\(self.job.path):run") { (run: JobResponse.Run) in
            "Run \(run.id) of \(self.job.job) is \(run.state); `apus jobs history` shows its result."
        }
    }
}

struct JobsPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Pause a job: its occurrences pass without a run until it is resumed."
    )

    @OptionGroup var job: JobArguments
    @OptionGroup var server: ServerArguments

    func run() async throws { try await self.job.steer("pause", self.server) }
}

struct JobsResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resume a paused job from its next occurrence."
    )

    @OptionGroup var job: JobArguments
    @OptionGroup var server: ServerArguments

    func run() async throws { try await self.job.steer("resume", self.server) }
}

struct JobsDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a job with its history."
    )

    @OptionGroup var job: JobArguments
    @OptionGroup var server: ServerArguments

    func run() async throws {
        let words = "Removed \(self.job.job)."
        try await self.server.delete(self.job.path, result: ["deleted": self.job.job], words: words)
    }
}

extension JobArguments {
    /// Sends a control request, and prints the state of the job in the response.
    fileprivate func steer(_ verb: String, _ server: ServerArguments) async throws {
        try await server.call(.post, "\(self.path):\(verb)") { (job: JobResponse) in job.due }
    }
}

struct JobsHistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List the runs of a job, the latest first; with --json one object per line."
    )

    @OptionGroup var job: JobArguments

    @Option(help: "Maximum number of runs.")
    var limit = 20

    @OptionGroup var server: ServerArguments

    func validate() throws {
        guard (1...1000).contains(self.limit) else {
            throw ValidationError("--limit: expected a number from 1 to 1000, got \(self.limit).")
        }
    }

    func run() async throws {
        let answer = try await self.server.client().call(.get, "\(self.job.path)/runs?limit=\(self.limit)")
        if self.server.json { return try answer.writeElements() }
        Self.lines(of: try answer.decoded(as: APIPage<JobResponse.Run>.self).elements).forEach(Console.out)
    }

    /// Returns the runs as a table without control characters: a message can contain the response of another server.
    static func lines(of runs: [JobResponse.Run]) -> [String] {
        var table = TextTable(heading: "DUE", "BY", "STATE", "PROCESSED", "STARTED", "ENDED", "MESSAGE")
        for run in runs {
            table.add(
                run.dueAt,
                run.trigger,
                run.state,
                "\(run.processedCount)",
                run.startedAt ?? "-",
                run.endedAt ?? "-",
                run.remark
            )
        }
        return table.lines.map(\.printable)
    }
}
