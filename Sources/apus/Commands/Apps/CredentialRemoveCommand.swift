// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Removes a credential.
struct CredentialRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Remove a credential of an app.")

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Argument(help: "The credential, as `apus apps credential list` names it.")
    var credential: String

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        let path = "/v1/apps/\(self.app.asPathSegment)/credentials/\(self.credential.asPathSegment)"
        _ = try await self.server.client().call(.delete, path)
        if self.output.json {
            try Console.json(["removed": self.credential])
        } else {
            Console.out("Removed \(self.credential).")
        }
    }
}
