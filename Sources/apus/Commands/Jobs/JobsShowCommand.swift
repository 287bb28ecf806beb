// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Shows a job.
struct JobsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a job, when it is due next, and its last run; with --json all that there is."
    )

    @OptionGroup var job: JobArguments
    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        let answer = try await self.server.client().call(.get, self.job.path)
        if self.output.json { return Console.out(answer.text) }
        try answer.decoded(as: JobAnswer.self).lines.forEach(Console.out)
    }
}
