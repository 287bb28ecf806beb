// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// The commands about an app's credentials.
struct CredentialCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credential",
        abstract: "List, add and remove an app's credentials towards APNs.",
        subcommands: [CredentialListCommand.self, CredentialAddCommand.self, CredentialRemoveCommand.self]
    )
}
