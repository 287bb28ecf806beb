// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Lists the runs of a job.
struct JobsHistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "List the runs of a job, the youngest first; with --json one object a line."
    )

    @OptionGroup var job: JobArguments

    @Option(help: "How many runs at most.")
    var limit = 20

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard (1...1000).contains(self.limit) else { throw ValidationError("--limit has to be from 1 to 1000.") }
    }

    func run() async throws {
        let answer = try await self.server.client().call(.get, "\(self.job.path)/runs?limit=\(self.limit)")
        let runs = try answer.decoded(as: APIPage<JobAnswer.Run>.self).elements
        if self.output.json { return try runs.forEach(Console.json) }
        Self.lines(of: runs).forEach(Console.out)
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
