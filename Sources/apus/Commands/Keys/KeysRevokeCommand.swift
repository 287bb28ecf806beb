// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Revokes an API key.
struct KeysRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a key for good; servers refuse it within a second."
    )

    @Argument(help: "The key's id, as `apus keys list` shows it: not the secret.")
    var key: String

    @OptionGroup var place: KeyPlaceArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        try await self.place.withKeyBook { try await $0.revoke(self.key) }
        if self.output.json { try Console.json(["revoked": self.key]) } else { Console.out("Revoked \(self.key).") }
    }
}
