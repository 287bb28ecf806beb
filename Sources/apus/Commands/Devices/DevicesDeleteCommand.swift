// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Removes a device.
struct DevicesDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "delete", abstract: "Remove a device of an app.")

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "The installation, by the name that the app gave it.")
    var installation: String

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        let path = "/v1/apps/\(self.app.asPathSegment)/devices/\(self.installation.asPathSegment)"
        _ = try await self.server.client().call(.delete, path)
        if self.output.json {
            try Console.json(["deleted": self.installation])
        } else {
            Console.out("Removed \(self.installation) of \(self.app).")
        }
    }
}
