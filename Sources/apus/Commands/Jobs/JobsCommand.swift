// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// The commands about jobs.
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

    /// The path of the job.
    var path: String { "/v1/apps/\(self.app.asPathSegment)/jobs/\(self.job.asPathSegment)" }
}
