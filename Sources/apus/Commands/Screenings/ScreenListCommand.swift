// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Lists the screenings of an app.
struct ScreenListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List an app's screenings, the youngest first; with --json one object a line."
    )

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        var table = TextTable(heading: "SCREENING", "STATE", "CREATED", "FOUND")
        let path = "/v1/apps/\(self.app.asPathSegment)/screenings"
        try await self.server.client().each(of: path, as: ScreeningAnswer.self) { screening in
            if self.output.json { return try Console.json(screening) }
            table.add(screening.id, screening.state, screening.createdAt, screening.summary)
        }
        if !self.output.json { table.lines.forEach(Console.out) }
    }
}
