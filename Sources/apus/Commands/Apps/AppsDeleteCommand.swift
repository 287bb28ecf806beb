// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Deletes an app with everything that belongs to it.
struct AppsDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete an app with its credentials, devices and notifications."
    )

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        _ = try await self.server.client().call(.delete, "/v1/apps/\(self.app.asPathSegment)")
        if self.output.json { try Console.json(["deleted": self.app]) } else { Console.out("Deleted \(self.app).") }
    }
}
