// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport

struct JobsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "What recurs by a schedule: notifications, changes of Live Activities, calls of webhooks.",
        subcommands: [
            JobsListCommand.self, JobsShowCommand.self, JobsPutCommand.self, JobsRunCommand.self, JobsPauseCommand.self,
            JobsResumeCommand.self, JobsHistoryCommand.self, JobsDeleteCommand.self,
        ]
    )
}

/// Which job a command is about.
struct JobArguments: ParsableArguments {
    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "The job's name.")
    var job: String

    var path: String { "/v1/apps/\(self.app.asPathSegment)/jobs/\(self.job.asPathSegment)" }
}

struct JobsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List an app's jobs by their names; with --json one object a line."
    )

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var server: ServerArguments

    func run() async throws {
        let path = "/v1/apps/\(self.app.asPathSegment)/jobs"
        let heading = ["JOB", "KIND", "SCHEDULE", "NEXT", "LAST", "PROCESSED"]
        try await self.server.list(path, heading, printable: true) { (job: JobAnswer) in
            let next = job.paused ? "paused" : job.nextAt ?? "-"
            let processed = job.lastRun.map { "\($0.processed)" } ?? "-"
            return [job.id, job.kind, job.schedule.summary, next, job.lastRun?.state ?? "-", processed]
        }
    }
}

struct JobsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a job, when it is due next, and its last run; with --json all that there is."
    )

    @OptionGroup var job: JobArguments
    @OptionGroup var server: ServerArguments

    func run() async throws {
        try await self.server.call(.get, self.job.path) { (job: JobAnswer) in job.lines.joined(separator: "\n") }
    }
}

struct JobsRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a job now, paused or not; its schedule stays as it is."
    )

    @OptionGroup var job: JobArguments
    @OptionGroup var server: ServerArguments

    func run() async throws {
        try await self.server.call(.post, "\(self.job.path):run") { (run: JobAnswer.Run) in
            "Run \(run.id) of \(self.job.job) is \(run.state); `apus jobs history` tells what becomes of it."
        }
    }
}

struct JobsPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Let the occurrences of a job pass without a run, until it is resumed."
    )

    @OptionGroup var job: JobArguments
    @OptionGroup var server: ServerArguments

    func run() async throws { try await self.job.steer("pause", self.server) }
}

struct JobsResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Run a paused job again, from its next occurrence on."
    )

    @OptionGroup var job: JobArguments
    @OptionGroup var server: ServerArguments

    func run() async throws { try await self.job.steer("resume", self.server) }
}

struct JobsDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Remove a job with its history."
    )

    @OptionGroup var job: JobArguments
    @OptionGroup var server: ServerArguments

    func run() async throws {
        let words = "Removed \(self.job.job)."
        try await self.server.delete(self.job.path, result: ["deleted": self.job.job], words: words)
    }
}

extension JobArguments {
    /// Asks the server for a change, and tells how the job stands then.
    fileprivate func steer(_ verb: String, _ server: ServerArguments) async throws {
        try await server.call(.post, "\(self.path):\(verb)") { (job: JobAnswer) in job.due }
    }
}

struct JobsHistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List the runs of a job, the youngest first; with --json one object a line."
    )

    @OptionGroup var job: JobArguments

    @Option(help: "How many runs at most.")
    var limit = 20

    @OptionGroup var server: ServerArguments

    func validate() throws {
        guard (1...1000).contains(self.limit) else { throw ValidationError("--limit has to be from 1 to 1000.") }
    }

    func run() async throws {
        let answer = try await self.server.client().call(.get, "\(self.job.path)/runs?limit=\(self.limit)")
        if self.server.json { return try answer.writeElements() }
        Self.lines(of: try answer.decoded(as: APIPage<JobAnswer.Run>.self).elements).forEach(Console.out)
    }

    /// The runs as a table, without what a terminal would carry out: a message may be what a stranger's server answered.
    static func lines(of runs: [JobAnswer.Run]) -> [String] {
        var table = TextTable(heading: "DUE", "BY", "STATE", "PROCESSED", "STARTED", "ENDED", "WHAT THERE IS TO SAY")
        for run in runs {
            table.add(
                run.dueAt,
                run.trigger,
                run.state,
                "\(run.processed)",
                run.startedAt ?? "-",
                run.endedAt ?? "-",
                run.remark
            )
        }
        return table.lines.map(\.printable)
    }
}
