// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// The commands about API keys.
struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make, list and revoke the keys of the HTTP API.",
        discussion: """
            The first key is made on the server's machine, directly in its store: apus keys create NAME --data DIR
            """,
        subcommands: [KeysListCommand.self, KeysCreateCommand.self, KeysRevokeCommand.self]
    )
}
