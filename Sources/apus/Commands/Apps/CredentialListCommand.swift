// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Lists the credentials of an app.
struct CredentialListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List an app's credentials, the youngest first; with --json one object a line."
    )

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        var table = TextTable(heading: "CREDENTIAL", "KIND", "KEY", "TEAM", "ENVIRONMENTS", "KEPT", "ADDED")
        let answer = try await self.server.client().call(.get, "/v1/apps/\(self.app.asPathSegment)/credentials")
        for credential in try answer.decoded(as: APIPage<CredentialAnswer>.self).elements {
            if self.output.json {
                try Console.json(credential)
            } else {
                table.add(
                    credential.id,
                    credential.format ?? credential.kind,
                    credential.keyID ?? "-",
                    credential.teamID ?? "-",
                    credential.environments.joined(separator: ","),
                    credential.storage,
                    credential.createdAt
                )
            }
        }
        if !self.output.json { table.lines.forEach(Console.out) }
    }
}
