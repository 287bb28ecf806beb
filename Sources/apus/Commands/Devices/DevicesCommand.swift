// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// The commands about devices.
struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List, register, import, export and delete an app's devices.",
        subcommands: [
            DevicesListCommand.self, DevicesPutCommand.self, DevicesImportCommand.self, DevicesExportCommand.self,
            DevicesDeleteCommand.self,
        ]
    )
}
