// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Lists the apps of a server.
struct AppsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the apps; with --json one object a line."
    )

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        var table = TextTable(heading: "APP", "NAME", "ENVIRONMENT", "CREATED")
        try await self.server.client().each(of: "/v1/apps", as: AppAnswer.self) { app in
            if self.output.json { return try Console.json(app) }
            table.add(app.id, app.name, app.defaultEnvironment, app.createdAt)
        }
        if !self.output.json { table.lines.forEach(Console.out) }
    }
}
