// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// The commands about apps.
struct AppsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps",
        abstract: "List, create and delete apps, and give them their APNs credentials.",
        subcommands: [AppsListCommand.self, AppsCreateCommand.self, AppsDeleteCommand.self, CredentialCommand.self]
    )
}
