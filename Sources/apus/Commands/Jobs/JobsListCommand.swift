// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Lists the jobs of an app.
struct JobsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List an app's jobs by their names; with --json one object a line."
    )

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        var table = TextTable(heading: "JOB", "KIND", "SCHEDULE", "NEXT", "LAST", "PROCESSED")
        let path = "/v1/apps/\(self.app.asPathSegment)/jobs"
        try await self.server.client().each(of: path, as: JobAnswer.self) { job in
            if self.output.json { return try Console.json(job) }
            table.add(
                job.id,
                job.kind,
                job.schedule.summary,
                job.paused ? "paused" : job.nextAt ?? "-",
                job.lastRun?.state ?? "-",
                job.lastRun.map { "\($0.processed)" } ?? "-"
            )
        }
        if !self.output.json { table.lines.forEach { Console.out($0.printable) } }
    }
}
